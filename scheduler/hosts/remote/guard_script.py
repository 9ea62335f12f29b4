"""Restore commands for the guard, made of numbers, fixed words and UUIDs only.

Names of domains are excluded, so that no name can do harm.
"""

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scheduler.errors import ParameterRefused
from scheduler.translation import _

DOM0 = "dom0"
NUMBER = "@"
"""Placeholder for the domain's number, which a restore finds by UUID."""

LIBVIRT = "libvirt:"
"""Prefix of the UUID of a domain that libvirt sets, by `virsh -q -c URI` commands."""

_UUID = re.compile(rf"({LIBVIRT})?[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}")
_PROGRAM = re.compile(r"/[a-z0-9/._-]+")
# A subcommand, an option, a number, a list of CPUs, or an option or key with a number.
_WORD = re.compile(r"@|-{0,2}[a-z][a-z0-9_-]*(=-?[0-9]+)?|[0-9]+([.,-][0-9]+)*|-[a-z]")
_URI = re.compile(r"[a-z]+(\+unix)?:///[a-z]+(\?socket=/[A-Za-z0-9/._-]+)?")


@dataclass(frozen=True, slots=True)
class RestoreCommands:
    """Restore commands of one domain.

    Attributes:
        domain: `DOM0`, or the guest's UUID in lower case, with the prefix `LIBVIRT` where libvirt sets parameters.
        commands: Program path and arguments, with `NUMBER` for the domain's number. The commands are independent of
            each other.
        shown: CPUs of vCPU 0, 1, ... that `vcpu-list` of the same program must show after a restore of placement;
            else empty.
        online: Number of vCPUs that `vcpu-list` must show in use after a restore of their number; else 0.
    """

    domain: str
    commands: tuple[tuple[str, ...], ...]
    shown: tuple[str, ...] = ()
    online: int = 0


def restore_lines(domains: Iterable[RestoreCommands]) -> str:
    """Return the lines for `Guard.arm`: Dom0 first, since all I/O depends on Dom0.

    The other domains keep their order.

    Raises:
        ParameterRefused: A word is neither a fixed word nor a number; nothing was touched.
    """
    ordered = sorted(domains, key=lambda each: each.domain != DOM0)
    return "".join(line for each in ordered for line in _format_lines(each))


def _format_lines(restore: RestoreCommands) -> Iterator[str]:
    yield from (_format_line("put", restore.domain, command) for command in restore.commands)
    if restore.shown:
        yield _format_line("placed", restore.domain, (restore.commands[0][0], *restore.shown))
    if restore.online:
        yield _format_line("sized", restore.domain, (restore.commands[0][0], str(restore.online)))


def _format_line(word: str, domain: str, command: tuple[str, ...]) -> str:
    fine = (domain == DOM0 or _UUID.fullmatch(domain)) and command and _PROGRAM.fullmatch(command[0])
    if not fine or not all(_WORD.fullmatch(word) or _URI.fullmatch(word) for word in command[1:]):
        raise ParameterRefused(
            _("the guard takes no such restore command: {domain!r} {command!r}").format(domain=domain, command=command),
            hint=_("Only fixed words, numbers and a lower-case UUID may go into it. This is a bug; please report it."),
        )
    return f"{word} {domain} {shlex.join(command)}\n"

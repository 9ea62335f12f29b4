"""Helper and sudo rule with which an account without root may sweep a host.

An administrator installs both once. The helper is the guard with a fixed folder and a list of permitted changes. The
sudo rule allows each reading command literally, without a pattern that could match a blank.
"""

import re
from collections.abc import Iterator, Mapping

from scheduler.errors import SpecError
from scheduler.hosts.remote.guard_program import HELPER, HelperPlace, helper_program
from scheduler.hosts.xen.commands import NUMBER, reading_commands
from scheduler.translation import _

_ACCOUNT = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_RULE = "/etc/sudoers.d/domtune"
_DIGITS = 5  # a domain's number is below 32752
_SUDOERS = """# DomTune: {account} may look at this Xen host and set its domains' scheduler
# parameters, its guests' number of vCPUs, and the CPUs of the domains of a
# sweep, nothing else.
# install.sh in the same folder checks this file and installs it.
Cmnd_Alias DOMTUNE = {commands}
Defaults!DOMTUNE !requiretty
{account} ALL=(root) NOPASSWD: DOMTUNE
"""

_INSTALL = """#!/bin/sh
# Run as root on the Xen host: installs the files with which {account} may sweep it by DomTune. To remove them:
#   rm {helper} {rule}
set -eu
cd "$(dirname "$0")"
[ "$(id -u)" = 0 ] || {{ echo 'run this as root' >&2 && exit 1; }}
id {account} >/dev/null || {{ echo 'the account {account} does not exist: create it first' >&2 && exit 1; }}
visudo -cf sudoers
install -d -o root -g root -m 0755 {folder}
install -o root -g root -m 0755 domtune-guard {helper}
install -o root -g root -m 0440 sudoers {rule}
echo 'installed; now: domtune probe xl+ssh://{account}@THIS_HOST'
"""


def setup_files(
    account: str, helper: str = HELPER, rule: str = _RULE, place: HelperPlace | None = None
) -> Mapping[str, str]:
    """Return the files to install by name: `domtune-guard`, `sudoers`, `install.sh`.

    Args:
        account: Name of the account on the host.
        helper: Absolute path for the helper.
        rule: Path for the sudo rule, a name without dots in sudo's folder.
        place: Fixed paths of the helper; None for the usual paths of a Xen host.

    Raises:
        SpecError: The account name is not valid.
    """
    if not _ACCOUNT.fullmatch(account) or account == "root":
        raise SpecError(
            "account",
            _(
                "{account!r} is no name of an account that is not root: a letter, then up to 31 of a-z, 0-9, _ and -"
            ).format(account=account),
            hint=_("Name the account that DomTune connects as, for example: domtune host-setup domtune"),
        )
    place = place or HelperPlace()
    commands = ", \\\n    ".join((helper, *_list_read_commands(place.programs)))
    return {
        "domtune-guard": helper_program(place),
        "sudoers": _SUDOERS.format(account=account, commands=commands),
        "install.sh": _INSTALL.format(account=account, helper=helper, folder=helper.rpartition("/")[0], rule=rule),
    }


def _list_read_commands(programs: tuple[str, ...]) -> Iterator[str]:
    """Yield the reading commands, with numbers as one digit, two digits, and so on.

    A `*` in the sudo rule would match any further text.
    """
    for argv in dict.fromkeys(reading_commands(programs)):
        command = " ".join(argv)
        counts = range(1, _DIGITS + 1) if NUMBER in command else (0,)
        yield from (command.replace(NUMBER, "[0-9]" * digits) for digits in counts)

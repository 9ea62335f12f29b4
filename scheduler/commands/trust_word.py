"""`domtune trust URL`: show a host's ssh key, and keep it once somebody accepts its fingerprint."""

import argparse

import msgspec

from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.exits import Exit
from scheduler.errors import SpecError
from scheduler.hosts.remote.host_keys import fetch_key
from scheduler.hosts.remote.host_keys import trust as keep_key
from scheduler.hosts.remote.ssh_url import parse_target


class Trust(msgspec.Struct, frozen=True):
    """What `domtune trust --json` answers.

    Attributes:
        host: As people write it.
        fingerprint: Of the key that the host shows, `SHA256:...`.
        kind: For example `ED25519`.
        kept_in: The file that the key was kept in; empty when it was only shown.
    """

    host: str
    fingerprint: str
    kind: str
    kept_in: str = ""


def trust(arguments: argparse.Namespace) -> int:
    """Show the key, or keep it when its fingerprint is given."""
    url: str = arguments.url
    if not url.partition(":")[0].endswith("+ssh"):
        raise SpecError("host", f"{url!r} is not reached by ssh", hint="Write for example xl+ssh://root@HOST")
    target = parse_target(url)
    key = fetch_key(target)
    kept_in = str(keep_key(target, arguments.fingerprint)) if arguments.fingerprint else ""
    answer = Trust(host=target.where, fingerprint=key.fingerprint, kind=key.kind, kept_in=kept_in)
    if arguments.json:
        print_json(answer)
        return Exit.DONE
    print_lines(f"{answer.host} shows the {answer.kind} key {answer.fingerprint}")
    if kept_in:
        print_lines(f"It is trusted from now on (kept in {kept_in}).")
    else:
        print_lines(
            "Compare it with the host's own, for example at its console:",
            "  ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
            f"Then: domtune trust {url} --fingerprint {answer.fingerprint}",
        )
    return Exit.DONE

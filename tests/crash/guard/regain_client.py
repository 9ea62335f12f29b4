"""A sweep whose guard fires, step by step, in a process of its own, to be killed between any two steps.

    python -m tests.crash.guard.regain_client

Says each step when it has been made, and makes the next one when it is told a line.
"""

import sys

from scheduler import places
from scheduler.commands.restoring import reopen
from scheduler.errors import GuardFired
from scheduler.hosts.registry import open_host, unheard
from scheduler.hosts.remote import guarding
from scheduler.hosts.xen import survey
from scheduler.model.params import Credit2Params
from scheduler.model.split import GUEST, IO
from scheduler.run.lease import Lease

survey.LOOK_S, guarding.TTL_S = 0.1, 24


def said(step: str) -> None:
    print(step, flush=True)
    sys.stdin.readline()


def main() -> int:
    host = open_host("xl:", unheard)
    facts = host.facts()
    split = {IO: Credit2Params(weight=300), GUEST: Credit2Params(weight=600)}
    with Lease(host, places.journal_dir(), facts.host_id, "xl:", reopen) as lease:
        lease.apply(split)
        said("changed")
        try:
            host.assure()
        except GuardFired:
            said("fired")
        host.regain()
        said("regained")
        lease.check_found()
        lease.apply(split)
        said("changed again")
    host.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

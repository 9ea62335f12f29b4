"""A sweep whose guard fires, step by step, in a process of its own, to be killed between any two steps.

    python -m tests.crash.guard.regain_client

Says each step when it has been made, and makes the next one when it is told a line.
"""

import sys

from scheduler import places
from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.errors import GuardFired
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.remote import guard_session
from scheduler.hosts.xen import host_survey
from scheduler.model.scheduler_params import Credit2Params
from scheduler.model.split import GUEST, IO
from scheduler.run.lease import HostLease

host_survey.LOOK_S, guard_session.TTL_S = 0.1, 24


def said(step: str) -> None:
    print(step, flush=True)
    sys.stdin.readline()


def main() -> int:
    host = open_host("xl:", ignore_command)
    facts = host.facts()
    split = {IO: Credit2Params(weight=300), GUEST: Credit2Params(weight=600)}
    with HostLease(host, places.journal_dir(), facts.host_id, "xl:", reopen_recorded_host) as lease:
        lease.apply(split)
        said("changed")
        try:
            host.guard.check_guard()
        except GuardFired:
            said("fired")
        host.guard.rearm_guard()
        said("regained")
        lease.check_found()
        lease.apply(split)
        said("changed again")
    host.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

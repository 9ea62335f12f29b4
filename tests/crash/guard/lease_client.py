"""A sweep's way of writing, in a process of its own, to be killed: lease, undo record, guard, on a doubled Xen host.

    python -m tests.crash.guard.lease_client

Says `changed` after each change. Ends with 3 when the guard took over; the lease has put the host back by then.
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

# On a double nobody else makes noise to be noticed; and its guard is to look every two seconds, not every five.
host_survey.LOOK_S, guard_session.TTL_S = 0.1, 24


def main() -> int:
    host = open_host("xl:", ignore_command)
    facts = host.facts()
    try:
        with HostLease(host, places.journal_dir(), facts.host_id, "xl:", reopen_recorded_host) as lease:
            for number in range(10**6):
                weight = 300 + number % 500
                lease.apply({IO: Credit2Params(weight=weight), GUEST: Credit2Params(weight=2 * weight)})
                print("changed", flush=True)
    except GuardFired as error:
        print(error, flush=True)
        return 3
    finally:
        host.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

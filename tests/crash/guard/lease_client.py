"""A sweep's way of writing, in a process of its own, to be killed: lease, undo record, guard, on a doubled Xen host.

    python -m tests.crash.guard.lease_client

Says `changed` after each change. Ends with 3 when the guard took over; the lease has put the host back by then.
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

# On a double nobody else makes noise to be noticed; and its guard is to look every two seconds, not every five.
survey.LOOK_S, guarding.TTL_S = 0.1, 24


def main() -> int:
    host = open_host("xl:", unheard)
    facts = host.facts()
    try:
        with Lease(host, places.journal_dir(), facts.host_id, "xl:", reopen) as lease:
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

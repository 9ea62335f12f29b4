"""A sweep in a process of its own, to be killed: arms a guard, changes weights, says what came of each.

    python -m tests.guard_client FOLDER [restless]

Makes one change, then one for every line on standard input; `restless`: goes on by itself as fast as it can.
"""

import itertools
import os
import sys
from pathlib import Path

from scheduler.errors import GuardFired
from scheduler.hosts.remote.guard import Guard
from scheduler.hosts.remote.local_shell import LocalShell
from tests.guard_world import TTL_S, World


def main() -> None:
    world = World(Path(sys.argv[1]))
    guard = Guard(LocalShell(), str(world.base))
    guard.arm(world.lines(), TTL_S, 600)
    endless = itertools.count() if "restless" in sys.argv else itertools.chain([""], sys.stdin)
    for number, _ in enumerate(endless):
        try:
            guard.run_under_lock(world.change(3 * (number % 2), 300 + number % 200))
            print("changed", flush=True)
        except GuardFired as error:
            print("GuardFired", error.restored, flush=True)
            os._exit(1)


if __name__ == "__main__":
    main()

"""Follows a made-up host in this process, twenty times as fast as life, with a real keeper beside it.

python -m tests.crash.follow_client FILE KEEPER_LIMIT_S

The static split has its turn first, so that the host is changed from the first moment. The keeper's process id is
printed before, and every line after that.
"""

import math
import sys
import time

from scheduler import places
from scheduler.children import python_module
from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.commands.signals import end_on_signals
from scheduler.follow.ab_test import Variant
from scheduler.follow.move_decision import FollowBounds
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.codec import encode_line
from scheduler.run.control import MonotonicClock, RunControl
from scheduler.run.first_look import first_look
from scheduler.run.follow_actor import FollowParts, FollowPlan
from scheduler.run.follow_session import FollowSession
from scheduler.run.lease import FOLLOW_SCOPE, HostLease
from scheduler.run.local_guard import LocalGuard
from tests.crash.follow_world import HOST_ID, file_of

SPEED = 20.0
FOR_S = 3600.0


class FastClock(MonotonicClock):
    def now(self):
        return SPEED * time.monotonic()

    def sleep(self, seconds, wake):
        wake.wait(seconds / SPEED)


class ToldKeeper(LocalGuard):
    def start(self):
        super().start()
        tell(b"%d\n" % self._child.pid)


def tell(line):
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def plan_with_static_first():
    bounds = FollowBounds()
    plans = (
        FollowPlan(bounds=bounds, static=math.log(1 / 2), for_s=FOR_S, account_pct=50, seed=seed) for seed in range(99)
    )
    return next(plan for plan in plans if plan.schedule.at(0.0).arm is Variant.STATIC)


def main():
    control = RunControl(FastClock())
    end_on_signals(control)
    path = file_of(sys.argv[1])
    host = FakeHost(path, InjectedFaults(), lambda *_: None)
    look = first_look(host, control)
    lease = HostLease(host, places.journal_dir(), HOST_ID, f"fake:{path}", reopen_recorded_host, FOLLOW_SCOPE)
    restore = python_module("scheduler", "restore", "--json", "--copy", "--only", HOST_ID)
    local_guard = ToldKeeper(restore, FOR_S, float(sys.argv[2]))
    parts = FollowParts(
        host, lease, local_guard, control, plan_with_static_first(), look.standing, lambda line: tell(encode_line(line))
    )
    done = FollowSession(parts).run()
    tell(encode_line(done))
    return 0 if done.restored else 4


if __name__ == "__main__":
    sys.exit(main())

"""A host that may be followed: a closed queueing network under two caps, in a room with its lease and a clock."""

import functools
import threading

import msgspec

from scheduler.errors import ParameterRefused
from scheduler.follow.current_split import derive_current_split
from scheduler.follow.move_decision import FollowBounds
from scheduler.model.commit_counter import CommitCount
from scheduler.model.observation_documents import FollowMove, ObservationWindow
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.control import RunControl
from scheduler.run.follow_actor import FollowParts, FollowPlan
from scheduler.run.follow_session import FollowSession
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import FOLLOW_SCOPE, HostLease
from scheduler.run.local_guard import LocalGuard
from scheduler.run.simulated_clock import SimulatedClock
from scheduler.stats.queueing.mva import solve_networks
from tests.unit.follow.hosts_counted import LIMITED, CountedHost

READS, WRITES = (2.0, 0.7), (0.35, 3.5)  # ms of the I/O domain and of the guest, per transaction
USERS = 8
HOUR_S = 3600.0


@functools.cache
def _solved_tps(demands_s, wait_s):
    return float(solve_networks([list(demands_s)], wait_s, USERS).tps[0])


class FollowedHost(CountedHost):
    """Remembers every write, with what both domains had together after it."""

    def __init__(self, now, kind, params=LIMITED, others=None):
        super().__init__(now, self._uses, params, others)
        self.kind = kind  # second -> costs
        self.written = []
        self.refuses = 0  # so many writes
        self.takes_otherwise = False
        self.assured = []
        self.hard_s = None
        self.wait_ms = 0.0  # that every user pauses after a transaction
        self.done = self.active_s = 0.0
        self.guarded = True
        self.changed = {}  # of its facts

    def tps(self, second, params):
        io_ms, guest_ms = self.kind(second)
        demands_s = tuple(1e-3 * ms / _cpus(params[domain]) for ms, domain in ((io_ms, IO), (guest_ms, GUEST)))
        return _solved_tps(demands_s, 1e-3 * self.wait_ms)

    def _uses(self, second, params):
        if None in params.values():
            return 0.0, 0.0
        tps = self.tps(second, params)
        self.done += tps
        self.active_s += USERS - 1e-3 * self.wait_ms * tps
        io_ms, guest_ms = self.kind(second)
        return 1e-3 * io_ms * tps, 1e-3 * guest_ms * tps

    def write(self, domain, params):
        self._advance()
        self._break()
        if self.refuses:
            self.refuses -= 1
            raise ParameterRefused(f"{domain}: refused, as asked for")
        if self.takes_otherwise:
            params = CgroupParams(params.weight, params.quota_us - 1000, params.period_us)
        self.params[domain] = params
        self.written.append((domain, params, sum(_cpus(each) for each in self.params.values() if each)))

    def release_domain(self, domain):
        return

    def disarm_restore(self):
        return

    def guard_slot(self, slot):
        return

    @property
    def guard(self):
        return self if self.guarded else None

    def follow(self, hard_s):
        self.hard_s = hard_s
        return self.guarded

    def look_again(self):
        return msgspec.structs.replace(self.facts(), **self.changed)

    def unresponsive_reason(self):
        return ""

    def check_guard(self):
        self.assured.append((self._now(), threading.get_ident()))

    def rearm_guard(self):
        raise AssertionError("following took a host again")

    def committed(self):
        self._advance()
        return int(self.done)


class Counting:
    """What the host's database committed, and how long its sessions were at it; it may fail, or tell no times."""

    def __init__(self, host, breaks=lambda: None, *, times=True):
        self.host, self.breaks, self.times = host, breaks, times

    def look(self):
        self.breaks()
        return CommitCount(self.host.committed(), self.host.active_s if self.times else None)


class FollowRoom:
    """A host, its lease, a clock; `follow` does it all."""

    def __init__(self, folder, kind=lambda second: READS, params=LIMITED, others=None, **plan):
        self.folder = folder
        self.clock = SimulatedClock()
        self.control = RunControl(self.clock)
        self.host = FollowedHost(self.clock.now, kind, params, others)
        self.found = dict(self.host.params)
        self.committed = None
        self.lines = []
        self.plan = FollowPlan(
            **{"bounds": FollowBounds(), "static": None, "for_s": HOUR_S, "account_pct": 0, "seed": 7, **plan}
        )
        self.told = self.lines.append
        self.lease = HostLease(self.host, folder, "counted", "fake:counted", lambda undo: self.host, FOLLOW_SCOPE)
        self.journal = UndoJournal(folder, "counted")

    def follow(self):
        asked = derive_current_split(self.host.params, self.host.facts())
        local_guard = LocalGuard(["false"], 1.0)
        parts = FollowParts(
            self.host, self.lease, local_guard, self.control, self.plan, asked, self.told, self.committed
        )
        self.session = FollowSession(parts)
        return self.session.run()

    def at(self, second, act):
        """Do something as the clock comes by, at the next look."""
        due = [act]

        def breaks(now_s):
            if now_s >= second and due:
                return due.pop()()
            return None

        self.host.breaks = breaks

    def of(self, kind):
        return [line for line in self.lines if isinstance(line, kind)]

    @property
    def splits(self):
        return [line.split.label for line in self.of(ObservationWindow)]

    @property
    def moves(self):
        return [(line.t_s, line.arm, line.after.label) for line in self.of(FollowMove)]


def _cpus(params):
    return 0.5 if params.quota_us is None else params.quota_us / params.period_us

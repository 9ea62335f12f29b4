"""The trial of `follow_live`, in control groups of its own."""

import contextlib
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from scheduler import places
from scheduler.children import python_module
from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.follow import ab_test
from scheduler.follow.move_decision import FollowBounds
from scheduler.hosts.host_registry import open_host
from scheduler.loads.commit_counter import CommitCounter
from scheduler.model.observation_documents import FollowMove, FollowPeriod, ObservationWindow
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.control import BootClock, RunControl
from scheduler.run.first_look import first_look
from scheduler.run.follow_actor import FollowParts, FollowPlan
from scheduler.run.follow_session import FollowSession
from scheduler.run.journal import list_pending_records
from scheduler.run.lease import FOLLOW_SCOPE, HostLease
from scheduler.run.local_guard import LocalGuard
from tests.bench.follow_users import kind_at

_PERIOD_US = 20_000
_RIGHT_S = 60.0
_BETWEEN = math.log(0.3)  # relay over server: 0.45 and more under bulk, 0.08 and less under compute; 1:5 at most is set


class Users:
    """The users' process; ends with the context."""

    def __init__(self, url, secret, words):
        environment = {**os.environ, "PGPASSWORD": secret}
        command = [sys.executable, "-m", "tests.bench.follow_users", url, *words]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
        )
        self.began_s = float(self._process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.communicate(timeout=60)


def trial(arguments):
    """Run it; return 0 when all that is required holds."""
    ab_test.COMPARISON_PERIOD_S, ab_test.SKIPPED_S, ab_test.SKIPPED_S = arguments.turn_s / 2, 30.0, 30.0
    host = open_host("local:", lambda *_: None)
    host.boot()
    quota_us = round(_PERIOD_US * arguments.cpus / 2)
    weight = host.baseline(IO).weight
    try:
        for domain in (IO, GUEST):
            host.write(domain, CgroupParams(weight, quota_us, _PERIOD_US))
        host._claim.release()  # whoever set these limits is not there any more; the processes are
        return _followed(arguments, host)
    finally:
        for domain in (IO, GUEST):
            host.write(domain, None)
        host.close()


def _followed(arguments, theirs):
    url, direct, secret = theirs.database.url(), theirs.database.reference_url(), theirs.database.secret()
    os.environ["PGPASSWORD"] = secret
    before, lines = _standing(theirs), []
    done, offset_s = _follow(arguments, (url, direct, secret), lines)
    moves = [line for line in lines if isinstance(line, FollowMove)]
    for move in moves:
        kind = kind_at(move.t_s + offset_s, arguments.turn_s)
        print(f"{move.t_s:7.0f} s  {kind:8} {move.arm:10} {move.before.label} -> {move.after.label}  {move.text}")
    fine = _judge(lines, done, lambda t_s: (t_s + offset_s) / arguments.turn_s, arguments)
    same = _standing(theirs) == before and not list_pending_records(places.journal_dir())
    print(f"groups, processes and records as before: {'yes' if same else 'NO'}")
    return 0 if fine and same and done.restored else 1


def _follow(arguments, reached, lines):
    """Return the last line, and how long the users' turns had begun when following began, in seconds."""
    control = RunControl(BootClock())
    host = open_host("local:", lambda *_: None)
    look = first_look(host, control)
    plan = FollowPlan(
        bounds=FollowBounds(),
        static=None,
        for_s=arguments.blocks * arguments.turn_s,
        account_pct=50,
        seed=arguments.seed,
    )
    host_id = look.facts.host_id
    lease = HostLease(host, places.journal_dir(), host_id, "local:", reopen_recorded_host, FOLLOW_SCOPE)
    local_guard = LocalGuard(
        python_module("scheduler", "restore", "--json", "--copy", "--only", host_id), plan.for_s + 300
    )
    url, direct, secret = reached
    words = [str(arguments.users), str(arguments.turn_s)]
    with Users(url, secret, words) as users, contextlib.closing(CommitCounter(direct)) as commits:
        parts = FollowParts(host, lease, local_guard, control, plan, look.standing, lines.append, commits)
        began_s = time.monotonic()
        return FollowSession(parts).run(), began_s - users.began_s


def _judge(lines, done, turns, arguments):
    """Say what came of it; return whether it is what is required."""
    windows = [line for line in lines if isinstance(line, ObservationWindow) and line.io_cpus and line.guest_cpus]
    ratios = {"bulk": [], "compute": []}
    right = {"bulk": [], "compute": []}
    last = (None, None, 0.0)
    for line in windows:
        turn = int(turns(line.t_s - 1.0))
        kind = list(ratios)[turn % 2]
        if (turn, line.arm) != last[:2]:
            last = (turn, line.arm, line.t_s)
        ratios[kind].append(math.log(line.io_cpus / line.guest_cpus))
        if line.arm == "following" and line.t_s - last[2] >= _RIGHT_S - 10.0:
            io, guest = line.split.io, line.split.guest
            right[kind].append((math.log(io / guest) > _BETWEEN) == (kind == "bulk"))
    medians = {kind: math.exp(statistics.median(values)) for kind, values in ratios.items() if values}
    apart = medians.get("bulk", 0.0) / medians.get("compute", math.inf)
    print(", ".join(f"{kind}: CPU of the I/O domain / guest {ratio:.2g}" for kind, ratio in medians.items()))
    went = [sum(values) / len(values) for values in right.values() if values]
    print(f"ratios {apart:.1f} x apart (required: 4)")
    print(f"windows of following beyond {_RIGHT_S:.0f} s that are on the right side: {min(went, default=0):.0%}")
    for line in lines:
        if isinstance(line, FollowPeriod):
            rate = "-" if line.rate_tps is None else f"{line.rate_tps:.1f}"
            print(f"{line.t_s:7.0f} s  block {line.block} {line.arm:10} {rate:>8} commits/s")
    lows = [gain.low_frac for gain in done.gains if gain.low_frac is not None]
    for gain in done.gains:
        ends = "" if gain.low_frac is None else f" ({gain.low_frac:+.1%} to {gain.high_frac:+.1%})"
        print(f"F - S: {gain.gain_frac:+.1%}{ends} in {gain.blocks} blocks")
    print(f"end: {done.end.value} {done.reason} {done.remarks}")
    return apart >= 4 and min(went, default=0) > 0.9 and min(lows, default=-1) > 0


def _standing(host):
    """Return what may not change: parameters, and where each domain's first process stands."""
    first = {domain: host._domains.first_pid(domain) for domain in (IO, GUEST)}
    stands = {domain: Path(f"/proc/{pid}/cgroup").read_text() for domain, pid in first.items()}
    return {domain: host.read(domain) for domain in (IO, GUEST)}, stands

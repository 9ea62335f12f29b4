"""Following a host: counters every ten seconds, a decision, at most a move; one way in, one way out: the lease.

No thread of ours does anything here. What is stuck sends no heartbeat: guard and keeper take it for dead.
"""

import logging
from collections.abc import Callable

from scheduler.errors import HostError, HostUnreachable, SplitUnresponsive
from scheduler.follow.ab_schedule import Variant
from scheduler.follow.aggregation import has_slack, scale_to_limits, weights_decide
from scheduler.follow.counter_windows import WINDOW_S, CounterSnapshot, CounterWindow, window_between
from scheduler.follow.current_split import CurrentSplit, PairParams
from scheduler.follow.move_decision import HoldReason, MoveDecider, MoveDecision
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId
from scheduler.run.follow_plan import FollowParts
from scheduler.run.follow_rate import FollowRate
from scheduler.run.follow_reporter import FollowReporter
from scheduler.run.split_setter import FINAL_ERRORS, SplitSetter, host_differences, is_transient

log = logging.getLogger(__name__)

HOLD_S, GIVE_BACK_S = 30.0, 60.0
"""Without counters that can be used; and of the second: without a finished window."""

_SLACK_S = 0.5  # a window that ends so little after the end still counts
_LATE_S = WINDOW_S / 2
_ASKED_S = 300.0  # it costs some commands there


class FollowLoop:
    """One stretch of following, inside the lease.

    Args:
        parts: What it is made of; the host was got ready by its `follow`.
        steering: Sets splits.
        beat: Tells whoever would put the host back that a window is finished.
    """

    def __init__(self, parts: FollowParts, steering: SplitSetter, beat: Callable[[], None]) -> None:
        host, plan = parts.host, parts.plan
        self._host, self._steering, self._control, self._plan = host, steering, parts.control, plan
        self._facts: HostProperties = host.facts()
        self._cpus = max(1, len(self._facts.contended_cpus))
        self._follower, self._epochs = MoveDecider(plan.bounds), plan.schedule
        self._beat = beat
        self._began_s = self._finished_s = self._seen_s = self._asked_s = parts.control.clock.now()
        self._left: CurrentSplit | None = (
            None  # where following was as another arm's turn began; None while it has its own
        )
        self._since: float | None = None  # where it would have moved to since
        self._decided: MoveDecision | None = None  # what the newest split is set for; None for a turn
        self._arm = Variant.FOLLOWING
        self.lines = FollowReporter(parts.emit, steering.standing.mode)
        self.rate = FollowRate(parts.committed, plan, self.lines)

    def run(self) -> None:
        """Follow to the end of its time.

        Raises:
            AbortRequested: The user ended it.
            BroughtLess: What was measured ended it.
            HostError: The host ended it.
            SchedulerError: Something of ours did.
        """
        clock = self._control.clock
        self._start_period(self._began_s)
        before, at_s = self._read_counters(), clock.now()
        self.rate.count_commits(at_s)
        ends_s = self._began_s + self._plan.for_s
        while at_s + WINDOW_S <= ends_s + _SLACK_S:
            at_s += WINDOW_S
            self._control.wait(max(0.0, at_s - clock.now()))
            now_s = clock.now()
            self._refuse_gap(now_s)
            before = self._take_window(before, now_s)
            self._refuse_other_host(now_s)
            self._finish_window(clock.now())
            if clock.now() - at_s > _LATE_S:
                at_s = clock.now()
        self.rate.finish(clock.now() - self._began_s)

    def _refuse_gap(self, now_s: float) -> None:
        gap_s = now_s - self._finished_s
        if gap_s > GIVE_BACK_S:
            raise HostError(
                f"{gap_s:.0f} s passed since the last window; a split is held {GIVE_BACK_S:.0f} s at most without one",
                hint="Was this computer asleep, or too busy?",
            )

    def _refuse_other_host(self, now_s: float) -> None:
        """Look whether it is still the same host, once in some minutes; raises HostError where it is not."""
        if now_s - self._asked_s < _ASKED_S:
            return
        self._asked_s = now_s
        try:
            changes = host_differences(self._facts, self._host.look_again())
        except HostUnreachable as error:
            log.info("the host was not looked at anew: %s", error)
            return
        if changes:
            raise HostError(f"the host is another one than was asked about: {'; '.join(changes)}", hint="Ask again.")

    def _take_window(self, before: CounterSnapshot | None, now_s: float) -> CounterSnapshot | None:
        """Take one window; return the look at its end, None where it failed."""
        elapsed_s = now_s - self._began_s
        epoch = self._epochs.at(max(0.0, elapsed_s - WINDOW_S / 2))
        after, trouble = self._read_and_verify()
        window = self._compute_window(before, after, trouble)
        if isinstance(window, CounterWindow):
            self._seen_s = now_s
        slack = None if isinstance(window, str) else has_slack(window, self._cpus, self._steering.standing)
        rate_tps = self.rate.add_window(epoch, elapsed_s, now_s, window, slack=slack)
        decision = self._decide_move(window, now_s)
        self.lines.report_window(elapsed_s, epoch.arm, self._steering.standing, decision, window, rate_tps)
        self._apply_decision(decision, elapsed_s, now_s)
        self._start_period(now_s)
        return after

    def _read_and_verify(self) -> tuple[CounterSnapshot | None, str]:
        """Return counters, with everything read back; nothing, and why, where the host did not answer this time."""
        try:
            look = self._read_counters()
            self._steering.verify_params()
        except FINAL_ERRORS:
            raise
        except HostError as error:
            if not is_transient(error):
                raise
            log.info("no window: %s", error)
            return None, str(error)
        return look, ""

    def _compute_window(
        self, before: CounterSnapshot | None, after: CounterSnapshot | None, trouble: str
    ) -> CounterWindow | str:
        if before is None or after is None:
            return trouble or "the host gave no counters"
        most: dict[DomainId, float] = {each.id: float(each.vcpus) for each in self._facts.domains}
        return window_between(before, after, most, self._cpus)

    def _read_counters(self) -> CounterSnapshot:
        domains = self._host.usage()
        return CounterSnapshot(self._control.clock.now(), domains, self._host.cpu_usage())

    def _decide_move(self, window: CounterWindow | str, now_s: float) -> MoveDecision:
        if isinstance(window, str):
            missing_s = now_s - self._seen_s
            if missing_s > GIVE_BACK_S:
                raise HostUnreachable(f"no counters that can be used for {missing_s:.0f} s: {window}")
            return MoveDecision(hold=HoldReason.MISSING if missing_s > HOLD_S else HoldReason.GATHERING)
        standing = self._steering.standing
        shares = standing.mode is Mode.SHARE
        use = window.use if shares else scale_to_limits(window.use, self._cpus, standing.allowed)
        decides = not shares or weights_decide(window, self._cpus)
        left = None if self._left is None else self._left.allowed.log_ratio if self._since is None else self._since
        return self._follower.decide(now_s, use, standing.allowed, decides=decides, left=left)

    def _apply_decision(self, decision: MoveDecision, elapsed_s: float, now_s: float) -> None:
        """Move where the rule wants it, and say so; what failed the window before comes first."""
        self._since = self._since if decision.would is None else decision.would
        self.lines.report_hold(elapsed_s, decision.hold, self._cooldown_end_s(decision))
        before = self._steering.standing
        went = self._steering.retry_write()
        if not went and decision.move is not None:
            self._decided = decision
            went = self._steering.set_params(self._steering.params_for(decision.move))
        if went:
            self._follower.note_move(now_s)
            self.lines.report_move(elapsed_s, self._arm, before, self._steering.standing, self._decided)

    def _cooldown_end_s(self, decision: MoveDecision) -> float | None:
        return self._follower.cooldown.until_s - self._began_s if decision.hold is HoldReason.COOLDOWN else None

    def _start_period(self, now_s: float) -> None:
        """Give the next arm its turn, where it comes."""
        arm = self._epochs.at(now_s - self._began_s).arm
        if now_s + WINDOW_S > self._began_s + self._plan.for_s + _SLACK_S or arm is self._arm:
            return
        before, self._decided = self._steering.standing, None
        if self._arm is Variant.FOLLOWING:
            self._left, self._since = before, None
        wanted = self._initial_split(arm)
        if arm is Variant.FOLLOWING:
            self._left = None
        self._arm = arm
        if self._steering.set_params(wanted):
            self._follower.note_move(now_s)
            self.lines.report_move(now_s - self._began_s, arm, before, self._steering.standing, None)

    def _initial_split(self, arm: Variant) -> PairParams:
        """Return what an arm begins with: following where it was, or would have moved to, had it had its turn since."""
        if arm is Variant.FOLLOWING and self._since is not None:
            return self._steering.params_for(self._since)
        if arm is Variant.FOLLOWING:
            return (self._left or self._steering.standing).params
        if arm is Variant.FOUND or self._plan.static is None:
            return self._steering.found.params
        return self._steering.params_for(self._plan.static)

    def _finish_window(self, now_s: float) -> None:
        """Say that a window is finished, to whoever would put the host back. Raises HostError where nobody would."""
        guard = self._host.guard
        overdue = guard.unresponsive_reason() if guard is not None else ""
        if overdue:
            raise SplitUnresponsive(f"the host is too slow to be followed: {overdue}")
        self._beat()
        self._finished_s = now_s

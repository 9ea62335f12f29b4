"""Act on a followed host: decide after each window, set the split, compare variants, send heartbeats."""

import logging
from collections.abc import Callable

import msgspec

from scheduler.errors import HostError, HostUnreachable, SplitUnresponsive
from scheduler.follow.ab_test import PeriodSchedule, Variant
from scheduler.follow.aggregation import has_slack, scale_to_limits, weights_decide
from scheduler.follow.counter_windows import WINDOW_S
from scheduler.follow.current_split import CurrentSplit, PairParams
from scheduler.follow.move_decision import FollowBounds, HoldReason, MoveDecider, MoveDecision
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.observation_documents import FollowLine
from scheduler.model.spec import Mode
from scheduler.run.commit_counter import CommitRate, CountsCommits
from scheduler.run.control import RunControl
from scheduler.run.follow_reporter import FollowAccounts, FollowReporter
from scheduler.run.lease import HostLease
from scheduler.run.local_guard import LocalGuard
from scheduler.run.observation import SLACK_S, ObservedWindow, WindowActor
from scheduler.run.split_setter import FINAL_ERRORS, SplitSetter, host_differences, is_transient

log = logging.getLogger(__name__)

HOLD_S, GIVE_BACK_S = 30.0, 60.0
"""Without counters that can be used; and of the second: without a finished window."""

_ASKED_S = 300.0  # it costs some commands there


class FollowPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done.

    Attributes:
        bounds: What may be set, and how often.
        static: The split that following is compared with, ln(I/O domain / guest); None for the one that is found.
        for_s: How long, seconds.
        account_pct: 50, 10 or 0 percent of the time are accounted for.
        seed: What the order of the arms is drawn from.
    """

    bounds: FollowBounds
    static: float | None
    for_s: float
    account_pct: int
    seed: int

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The arms that are compared: the host as found is one of its own unless it is the static split."""
        found = () if self.static is None else (Variant.FOUND,)
        return (Variant.FOLLOWING, Variant.STATIC, *found)

    @property
    def schedule(self) -> PeriodSchedule:
        """The order of their turns."""
        return PeriodSchedule(self.variants, self.account_pct, self.seed, self.for_s)


class FollowParts(msgspec.Struct, frozen=True):
    """What following is made of.

    Attributes:
        host: The host.
        lease: The right to write to it; it heeds what others set.
        keeper: Of this computer; started only where the host has no guard.
        control: The clock, and the button that ends it.
        plan: What is to be done.
        asked: What was set when the user was asked.
        emit: Takes every line.
        committed: Counter of the user's database; None where none was named.
    """

    host: Host
    lease: HostLease
    keeper: LocalGuard
    control: RunControl
    plan: FollowPlan
    asked: CurrentSplit
    emit: Callable[[FollowLine], None]
    committed: CountsCommits | None = None


class FollowActor(WindowActor):
    """Sets splits on a host, inside the lease.

    Args:
        parts: The host, prepared by its `follow`, the plan and the rest.
        steering: Sets splits.
        commits: Rate of the user's database.
        beat: Tells whoever would restore the host that a window is finished.

    Attributes:
        lines: Tells what happens.
        accounts: What following has brought.
    """

    def __init__(
        self, parts: FollowParts, steering: SplitSetter, commits: CommitRate, beat: Callable[[], None]
    ) -> None:
        host, plan = parts.host, parts.plan
        self._host, self._steering, self._clock, self._plan = host, steering, parts.control.clock, plan
        self._facts: HostProperties = host.facts()
        self._cpus = max(1, len(self._facts.contended_cpus))
        self._follower, self._epochs = MoveDecider(plan.bounds), plan.schedule
        self._beat = beat
        self._finished_s = self._seen_s = self._asked_s = parts.control.clock.now()
        self._left: CurrentSplit | None = None  # following's split as another arm's turn began; None in its own turn
        self._since: float | None = None  # where it would have moved to since
        self._decided: MoveDecision | None = None  # what the newest split is set for; None for a turn
        self._arm = Variant.FOLLOWING
        self.lines = FollowReporter(parts.emit, steering.standing.mode)
        self.accounts = FollowAccounts(commits, plan.for_s, self.lines)

    def begin(self, now_s: float) -> None:
        """Give the first arm its turn."""
        self._start_period(now_s, 0.0)

    def refuse_gap(self, now_s: float) -> None:
        """Raise HostError where no window was finished for too long."""
        gap_s = now_s - self._finished_s
        if gap_s > GIVE_BACK_S:
            raise HostError(
                f"{gap_s:.0f} s passed since the last window; a split is held {GIVE_BACK_S:.0f} s at most without one",
                hint="Was this computer asleep, or too busy?",
            )

    def check_look(self) -> None:
        """Read back what is set; raises HostError."""
        self._steering.verify_params()

    def is_final(self, error: HostError) -> bool:
        """Return whether another look would not fare better."""
        return isinstance(error, FINAL_ERRORS) or not is_transient(error)

    def take_window(self, seen: ObservedWindow) -> None:
        """Count, decide, perhaps move, and tell the guards.

        Raises:
            FollowingWorse: What was measured ends it.
            HostError: The host ends it.
        """
        elapsed_s, now_s, window = seen.elapsed_s, seen.ended_s, seen.usable
        epoch = self._epochs.at(max(0.0, elapsed_s - WINDOW_S / 2))
        if window is not None:
            self._seen_s = now_s
        slack = None if window is None else has_slack(window, self._cpus, self._steering.standing)
        self.accounts.add_window(epoch, seen, slack=slack)
        decision = self._decide_move(seen)
        self.lines.report_window(seen, epoch.arm, self._steering.standing, decision)
        self._apply_decision(decision, seen)
        self._start_period(now_s, elapsed_s)
        self._refuse_other_host(now_s)
        self._finish_window(self._clock.now())

    def finish(self, elapsed_s: float) -> None:
        """Take the last look at the accounts; raises FollowingWorse."""
        self.accounts.finish(elapsed_s)

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

    def _decide_move(self, seen: ObservedWindow) -> MoveDecision:
        window = seen.usable
        if window is None:
            missing_s = seen.ended_s - self._seen_s
            if missing_s > GIVE_BACK_S:
                raise HostUnreachable(f"no counters that can be used for {missing_s:.0f} s: {seen.trouble}")
            return MoveDecision(hold=HoldReason.MISSING if missing_s > HOLD_S else HoldReason.GATHERING)
        standing = self._steering.standing
        shares = standing.mode is Mode.WEIGHTS
        use = window.use if shares else scale_to_limits(window.use, self._cpus, standing.allowed)
        decides = not shares or weights_decide(window, self._cpus)
        left = None if self._left is None else self._left.allowed.log_ratio if self._since is None else self._since
        return self._follower.decide(seen.ended_s, use, standing.allowed, decides=decides, left=left)

    def _apply_decision(self, decision: MoveDecision, seen: ObservedWindow) -> None:
        """Move where the rule wants it, and say so; what failed the window before comes first."""
        self._since = self._since if decision.would is None else decision.would
        until_s = self._follower.cooldown.until_s - seen.began_s if decision.hold is HoldReason.COOLDOWN else None
        self.lines.report_hold(seen.elapsed_s, decision.hold, until_s)
        before = self._steering.standing
        went = self._steering.retry_write()
        if not went and decision.move is not None:
            self._decided = decision
            went = self._steering.set_params(self._steering.params_for(decision.move))
        if went:
            self._follower.note_move(seen.ended_s)
            self.lines.report_move(seen.elapsed_s, self._arm, before, self._steering.standing, self._decided)

    def _start_period(self, now_s: float, elapsed_s: float) -> None:
        """Give the next arm its turn, where it comes."""
        arm = self._epochs.at(elapsed_s).arm
        if elapsed_s + WINDOW_S > self._plan.for_s + SLACK_S or arm is self._arm:
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
            self.lines.report_move(elapsed_s, arm, before, self._steering.standing, None)

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

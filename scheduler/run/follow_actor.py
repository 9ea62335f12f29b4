"""Actor of `follow`: decisions after each window, splits, and variants.

The actor sends a heartbeat after each window.
"""

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
from scheduler.run.time_gaps import TimeGap
from scheduler.translation import _

log = logging.getLogger(__name__)

HOLD_S, GIVE_BACK_S = 30.0, 60.0
"""Seconds without usable counters after which the split stays, and after which the host is restored.

The second limit also holds for the time without a finished window."""

_ASKED_S = 300.0  # seconds between two checks of the host's properties, which cost some commands


class FollowPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Plan of a `follow` run.

    Attributes:
        bounds: Allowed splits, and the limits on moves.
        static: Split that following is compared with, ln(I/O domain / guest); None for the original split.
        for_s: Duration, seconds.
        account_pct: Percent of the time in which variants are compared: 50, 10 or 0.
        seed: Seed of the random order of the variants.
    """

    bounds: FollowBounds
    static: float | None
    for_s: float
    account_pct: int
    seed: int

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Compared variants, with the original settings unless they are the static split."""
        found = () if self.static is None else (Variant.FOUND,)
        return (Variant.FOLLOWING, Variant.STATIC, *found)

    @property
    def schedule(self) -> PeriodSchedule:
        """Order of the comparison periods."""
        return PeriodSchedule(self.variants, self.account_pct, self.seed, self.for_s)


class FollowParts(msgspec.Struct, frozen=True):
    """Parts of a `follow` run.

    Attributes:
        host: The host.
        lease: The right to write to the host; its scope leaves values that other programs set.
        local_guard: Guard on this computer; started only when the host has no guard.
        control: The clock, and the button that ends the run.
        plan: The plan.
        asked: Split that was in force when the user confirmed.
        emit: Takes every line.
        committed: Counter of the user's database; None when the user named no database.
    """

    host: Host
    lease: HostLease
    local_guard: LocalGuard
    control: RunControl
    plan: FollowPlan
    asked: CurrentSplit
    emit: Callable[[FollowLine], None]
    committed: CountsCommits | None = None


class FollowActor(WindowActor):
    """Actor that sets splits on a followed host, inside the lease.

    Args:
        parts: The parts, with the host prepared by its `follow`.
        steering: Sets splits.
        commits: Commit rate of the user's database.
        beat: Sends a heartbeat to the guard that would restore the host.

    Attributes:
        lines: Reports events.
        accounts: Comparison of the variants.
        gaps: Sentences about gaps in time.
    """

    def __init__(
        self, parts: FollowParts, steering: SplitSetter, commits: CommitRate, beat: Callable[[], None]
    ) -> None:
        host, plan = parts.host, parts.plan
        self._host, self._steering, self._clock, self._plan = host, steering, parts.control.clock, plan
        self._facts: HostProperties = host.facts()
        self._cpus = max(1, len(self._facts.shared_cpus))
        self._follower, self._epochs = MoveDecider(plan.bounds), plan.schedule
        self._beat = beat
        self._finished_s = self._seen_s = self._asked_s = parts.control.clock.now()
        self._left: CurrentSplit | None = None  # following's last split; None during its own period
        self._since: float | None = None  # log ratio to which following would have moved since
        self._decided: MoveDecision | None = None  # decision behind the newest split; None after a change of variant
        self._arm = Variant.FOLLOWING
        self.gaps: list[str] = []
        self.lines = FollowReporter(parts.emit, steering.standing.mode)
        self.accounts = FollowAccounts(commits, plan.for_s, self.lines)

    def begin(self, now_s: float) -> None:
        """Start the period of the first variant."""
        self._start_period(now_s, 0.0)

    def take_gap(self, gap: TimeGap | None, now_s: float) -> None:
        """Keep a gap in time; raise HostError after 60 s without a finished window."""
        cause = "" if gap is None else f"{gap.text}: "
        if gap is not None:
            self.gaps.append(gap.sentence)
        silent_s = now_s - self._finished_s
        if silent_s > GIVE_BACK_S:
            raise HostError(
                _(
                    "{cause}{silent_s:.0f} s passed since the last window; a split is held "
                    "{give_back_s:.0f} s at most without one"
                ).format(cause=cause, silent_s=silent_s, give_back_s=GIVE_BACK_S),
                hint=_("Keep this computer awake, and start to follow again.")
                if gap
                else _("Was this computer too busy?"),
            )

    def check_look(self) -> None:
        """Read the set parameters back.

        Raises:
            HostError: A parameter differs, or the host cannot be read.
        """
        self._steering.verify_params()

    def is_final(self, error: HostError) -> bool:
        """Return True when reading the host again cannot help."""
        return isinstance(error, FINAL_ERRORS) or not is_transient(error)

    def take_window(self, seen: ObservedWindow) -> None:
        """Count a window, decide, set the split if needed, and send a heartbeat.

        Raises:
            FollowingWorse: The comparison found following worse than the static split.
            HostError: The host ends the run.
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
        """Evaluate the comparison for the last time.

        Raises:
            FollowingWorse: The comparison found following worse than the static split.
        """
        self.accounts.finish(elapsed_s)

    def _refuse_other_host(self, now_s: float) -> None:
        """Check every five minutes that the host's properties are unchanged.

        Raises:
            HostError: A property changed.
        """
        if now_s - self._asked_s < _ASKED_S:
            return
        self._asked_s = now_s
        try:
            changes = host_differences(self._facts, self._host.look_again())
        except HostUnreachable as error:
            log.info("could not read the host again: %s", error)
            return
        if changes:
            raise HostError(
                _("the host is another one than was asked about: {changes}").format(changes="; ".join(changes)),
                hint=_("Ask again."),
            )

    def _decide_move(self, seen: ObservedWindow) -> MoveDecision:
        window = seen.usable
        if window is None:
            missing_s = seen.ended_s - self._seen_s
            if missing_s > GIVE_BACK_S:
                raise HostUnreachable(
                    _("no counters that can be used for {missing_s:.0f} s: {trouble}").format(
                        missing_s=missing_s, trouble=seen.trouble
                    )
                )
            return MoveDecision(hold=HoldReason.MISSING if missing_s > HOLD_S else HoldReason.GATHERING)
        standing = self._steering.standing
        shares = standing.mode is Mode.WEIGHTS
        use = window.use if shares else scale_to_limits(window.use, self._cpus, standing.allowed)
        decides = not shares or weights_decide(window, self._cpus)
        left = None if self._left is None else self._left.allowed.log_ratio if self._since is None else self._since
        return self._follower.decide(seen.ended_s, use, standing.allowed, decides=decides, left=left)

    def _apply_decision(self, decision: MoveDecision, seen: ObservedWindow) -> None:
        """Set the split of a decision and report it; a failed write is retried first."""
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
        """Start the period of the next variant when its time has come."""
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
        """Return the parameters with which a variant begins.

        Following begins at the split to which the rule would have moved meanwhile.
        """
        if arm is Variant.FOLLOWING and self._since is not None:
            return self._steering.params_for(self._since)
        if arm is Variant.FOLLOWING:
            return (self._left or self._steering.standing).params
        if arm is Variant.FOUND or self._plan.static is None:
            return self._steering.found.params
        return self._steering.params_for(self._plan.static)

    def _finish_window(self, now_s: float) -> None:
        """Send a heartbeat to the guard that would restore the host.

        Raises:
            HostError: No guard would restore the host.
        """
        guard = self._host.guard
        overdue = guard.unresponsive_reason() if guard is not None else ""
        if overdue:
            raise SplitUnresponsive(_("the host is too slow to be followed: {overdue}").format(overdue=overdue))
        self._beat()
        self._finished_s = now_s

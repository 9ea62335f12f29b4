"""Decision after each window: move to another split or hold, with the reason.

The decision uses no clock, no host and no throughput. The rule (`split_rule.py`) names the split, and the fitted curve
(`gain_model.py`) predicts its gain. A large predicted gain leads to a move soon. A small gain leads to a move only when
the load has been the same for a while. So the dead band is in gain, not in splits. A reference simulation tuned the
constants on seeds that are not used for any result. The constants matter little. 3 to 10 % for `fast_gain` and 1 to 3 %
for `slow_gain` change the gain of following by less than one percentage point.

A token bucket of moves allows several moves in short order, and few in the long run. The bucket is nearly empty when
the load changes faster than following can react. More moves would then cost more than their gain. A cooldown of half an
hour follows, and twice as long each time when the bucket is empty again soon.
"""

import enum
import math
from collections import deque

import msgspec
import numpy as np

from scheduler.errors import SpecError
from scheduler.follow.counter_windows import MOST_KEPT, WindowBuffer
from scheduler.follow.gain_model import GRID, GainCurve, LoadMinute, build_minute, mean_losses
from scheduler.follow.split_rule import (
    IDLE_CPUS,
    WIDEST,
    PairLimits,
    PairUsage,
    find_target_split,
    io_share_of,
    log_ratio_of,
)
from scheduler.model.number_texts import format_percent
from scheduler.model.spec import Mode
from scheduler.model.split import Split, parse_split
from scheduler.translation import _

_HOUR_S = 3600.0
_CALM_S = 1800.0
_LONGEST_CALM_S = 4 * _HOUR_S
_SOON_S = 2 * _HOUR_S


class MoveBudget:
    """Token bucket of moves.

    Args:
        burst: Largest number of moves in the bucket, and the number at the start, >= 1.
        per_hour: Number of moves added per hour, > 0.
    """

    def __init__(self, burst: int, per_hour: float) -> None:
        self._burst, self._per_s = float(burst), per_hour / _HOUR_S
        self._left, self._at_s = float(burst), 0.0

    def moves_left(self, at_s: float) -> float:
        """Return the number of moves left at a time, seconds; times never decrease."""
        self._left = min(self._burst, self._left + (at_s - self._at_s) * self._per_s)
        self._at_s = at_s
        return self._left

    def spend_move(self, at_s: float) -> None:
        """Take one move from the budget at a time, seconds."""
        self._left = max(0.0, self.moves_left(at_s) - 1.0)


class Cooldown:
    """Half an hour or more in which only the last half hour as a whole decides.

    Attributes:
        until_s: End of the cooldown, seconds.
    """

    def __init__(self) -> None:
        self.until_s = -_SOON_S
        self._lasts_s = 0.0

    def is_active(self, at_s: float) -> bool:
        """Return True when the cooldown is active at a time, seconds."""
        return at_s < self.until_s

    def start(self, at_s: float) -> None:
        """Start a cooldown; soon after the last one, twice as long, at most four hours."""
        soon = self._lasts_s > 0 and at_s - self.until_s < _SOON_S
        self._lasts_s = min(_LONGEST_CALM_S, 2 * self._lasts_s) if soon else _CALM_S
        self.until_s = at_s + self._lasts_s


_SETTLED_S = 60.0  # since the last move, before a small predicted gain counts
_RUNNING = 2  # windows in a row with a large predicted gain
_CURVES = 180  # half an hour of windows
_FEW_MOVES = 2.0
_CALM_GAIN = 0.02
_GAINS = (0.01, 0.5)


class HoldReason(enum.StrEnum):
    """Reason to keep the split."""

    GATHERING = "gathering"  # too few windows since the last move, or of this load
    IDLE = "idle"
    BOTH_SATURATED = "blind"  # both domains use all the CPU allotted
    NO_CONTENTION = "free"  # nothing else wants the CPU, so that weights decide nothing
    AT_OPTIMUM = "near"  # the target split is too close to the present one
    GAIN_TOO_SMALL = "little"  # the predicted gain of another split is too small
    UNCONFIRMED = "once"  # the predicted gain of another split is large enough, but not for long enough
    COOLDOWN = "calm"
    COMPARISON = "turn"  # a comparison period of a static split, or of the original settings
    MISSING = "missing"  # no counters


class FollowBounds(msgspec.Struct, frozen=True):
    """Range and rate of moves of following.

    Attributes:
        low: The split with the smallest share for the I/O domain, ln(I/O domain / guest).
        high: The split with the largest share for the I/O domain, ln(I/O domain / guest).
        fast_gain: Predicted gain, ln(throughput), that leads to a move when two windows in a row reach it.
        slow_gain: Predicted gain, ln(throughput), that leads to a move when the load has stayed the same.
        burst: Largest number of moves in short order, 1 to 60.
        per_hour: Moves per hour in the long run, 1 to 60.
        least_frac: Smallest change of the I/O domain's share, 0..1.
    """

    low: float = -math.log(5.0)
    high: float = math.log(5.0)
    fast_gain: float = 0.05
    slow_gain: float = 0.02
    burst: int = 10
    per_hour: float = 20.0
    least_frac: float = 0.02

    def __post_init__(self) -> None:
        """Raise SpecError for a range, gain or number of moves outside the limits."""
        if not -WIDEST <= self.low < self.high <= WIDEST:
            hint = _("Name two splits from 1:9 to 9:1, the smaller one first, for example 1:5..5:1.")
            raise SpecError("range", _("holds no two splits that may be set"), hint=hint)
        low, high = _GAINS
        if not low <= self.slow_gain <= self.fast_gain <= high:
            raise SpecError(
                "gain",
                _("not {low} <= slow <= fast <= {high}").format(low=format_percent(low), high=format_percent(high)),
            )
        if not (1 <= self.burst <= 60 and 1 <= self.per_hour <= 60):
            raise SpecError("moves", _("not 1 to 60 in a row, and an hour"))


class MoveDecision(msgspec.Struct, frozen=True):
    """Decision after one window.

    Attributes:
        move: The split to set, ln(I/O domain / guest); None to hold.
        hold: Reason to hold; None for a move.
        wish: The target split within the range, ln(I/O domain / guest); None without a target split.
        predicted_gain: Predicted gain of the target split, ln(throughput); None when it was not computed.
        used_frac: Share of the CPU allotted that each domain used, I/O domain first.
        cost_ratio: CPU of the I/O domain per CPU of the guest.
        would: In a period of another variant, the log ratio of the split that following would set; None when
            following would hold.
    """

    move: float | None = None
    hold: HoldReason | None = None
    wish: float | None = None
    predicted_gain: float | None = None
    used_frac: tuple[float, float] | None = None
    cost_ratio: float | None = None
    would: float | None = None


class MoveDecider:
    """Decider on moves, window by window.

    The caller reports each change of the split with `note_move`.

    Args:
        bounds: Range and rate of moves.

    Attributes:
        cooldown: The cooldown after too many moves.
    """

    def __init__(self, bounds: FollowBounds) -> None:
        self._bounds = bounds
        self._kept = WindowBuffer()
        self._bucket = MoveBudget(bounds.burst, bounds.per_hour)
        self.cooldown = Cooldown()
        self._curves: deque[LoadMinute] = deque(maxlen=_CURVES)
        self._much = 0  # windows in a row with a large predicted gain
        self._moved_s = -math.inf

    def note_move(self, at_s: float) -> None:
        """Record a change of the split at a time, seconds, and clear earlier windows."""
        self._kept.changed()
        self._much = 0
        self._moved_s = at_s

    def decide(
        self, at_s: float, use: PairUsage, allowed: PairLimits, *, decides: bool = True, left: float | None = None
    ) -> MoveDecision:
        """Add a window and return the decision.

        Args:
            at_s: End of the window on a monotonic clock, seconds.
            use: CPU used by both domains, and the share of the CPU allotted that others left.
            allowed: CPU allotted to both domains meanwhile.
            decides: False when the split decides nothing, as with weights on a CPU that nothing else wants.
            left: In a comparison period of another variant, the split that following would have now, ln(I/O domain /
                guest). The decider then makes no move, but spends the budget as if following had moved. None while
                following itself is in force.
        """
        self._kept.add(use)
        self._keep_curve(at_s, use, allowed)
        mean = self._kept.mean()
        if mean is None:
            self._much = 0
            return MoveDecision(hold=HoldReason.IDLE if use.together_cpus < IDLE_CPUS else HoldReason.GATHERING)
        pointed = find_target_split(mean, allowed)
        if pointed is None:
            return MoveDecision(hold=HoldReason.IDLE)
        wish = min(self._bounds.high, max(self._bounds.low, pointed.log_ratio))
        reported = MoveDecision(wish=wish, used_frac=pointed.used_frac, cost_ratio=pointed.cost_ratio)
        if not decides or pointed.blind:
            self._much = 0
            return _hold_decision(reported, HoldReason.BOTH_SATURATED if decides else HoldReason.NO_CONTENTION)
        curve = GainCurve(mean, allowed, pointed)
        here = allowed.log_ratio if left is None else left
        if self.cooldown.is_active(at_s):
            decision = self._decide_in_cooldown(at_s, reported, here)
        else:
            decision = self._decide_by_gain(
                at_s, msgspec.structs.replace(reported, predicted_gain=curve.predicted_gain(wish, here)), here
            )
        return decision if left is None else self._make_virtual(at_s, decision)

    def _make_virtual(self, at_s: float, decision: MoveDecision) -> MoveDecision:
        """Return a decision as a virtual move, which uses budget and windows.

        Otherwise the budget would recover in comparison periods of other variants. Following would then have more moves
        in its own periods than without a comparison.
        """
        if decision.move is not None:
            self.note_move(at_s)
        return msgspec.structs.replace(
            decision, move=None, predicted_gain=None, hold=HoldReason.COMPARISON, would=decision.move
        )

    def _decide_by_gain(self, at_s: float, told: MoveDecision, here: float) -> MoveDecision:
        """Decide by the predicted gain over the split `here`, ln(I/O domain / guest)."""
        if told.wish is None or not self._is_far_enough(told.wish, here):
            self._much = 0
            return _hold_decision(msgspec.structs.replace(told, predicted_gain=None), HoldReason.AT_OPTIMUM)
        predicted_gain = told.predicted_gain or 0.0
        self._much = self._much + 1 if predicted_gain > self._bounds.fast_gain else 0
        settled = self._kept.count >= MOST_KEPT and at_s - self._moved_s >= _SETTLED_S
        if self._much < _RUNNING and not (settled and predicted_gain > self._bounds.slow_gain):
            return _hold_decision(
                told, HoldReason.GAIN_TOO_SMALL if predicted_gain <= self._bounds.slow_gain else HoldReason.UNCONFIRMED
            )
        if self._bucket.moves_left(at_s) < _FEW_MOVES:
            self.cooldown.start(at_s)
            return _hold_decision(told, HoldReason.COOLDOWN)
        self._bucket.spend_move(at_s)
        return msgspec.structs.replace(told, move=told.wish)

    def _decide_in_cooldown(self, at_s: float, told: MoveDecision, here: float) -> MoveDecision:
        """Decide by the last half hour as a whole, from the split `here`.

        `here` is ln(I/O domain / guest).
        """
        if not self._curves or self._bucket.moves_left(at_s) < 1:
            return _hold_decision(told, HoldReason.COOLDOWN)
        losses = mean_losses(self._curves)
        outside = np.clip(GRID, self._bounds.low, self._bounds.high) != GRID
        best = int(np.argmax(np.where(outside, -np.inf, losses)))
        predicted_gain = float(losses[best]) - float(np.interp(here, GRID, losses))
        wish = float(GRID[best])
        told = msgspec.structs.replace(told, wish=wish, predicted_gain=predicted_gain)
        if predicted_gain <= _CALM_GAIN or not self._is_far_enough(wish, here):
            return _hold_decision(told, HoldReason.COOLDOWN)
        self._bucket.spend_move(at_s)
        return msgspec.structs.replace(told, move=wish)

    def _is_far_enough(self, wish: float, here: float) -> bool:
        return abs(io_share_of(wish) - io_share_of(here)) >= self._bounds.least_frac

    def _keep_curve(self, at_s: float, use: PairUsage, allowed: PairLimits) -> None:
        """Store a window's curve when a cooldown may need the curve.

        Curves are of windows, not of minutes. If a load changes within a minute, the mean use belongs to no real load.
        """
        if not (self.cooldown.is_active(at_s) or self._bucket.moves_left(at_s) < self._bounds.burst / 2):
            return
        seen = build_minute(use, allowed, at_s)
        if seen is not None:
            self._curves.append(seen)


def _hold_decision(told: MoveDecision, why: HoldReason) -> MoveDecision:
    return msgspec.structs.replace(told, hold=why)


_HOLDS = {
    HoldReason.GATHERING: _("collecting data for this load at this split"),
    HoldReason.IDLE: _("both domains together use under 0.05 CPUs"),
    HoldReason.BOTH_SATURATED: _("both domains are saturated, so their demand is unknown"),
    HoldReason.NO_CONTENTION: _("no other program saturates the CPU, so weights have no effect"),
    HoldReason.AT_OPTIMUM: _("this split is the best for the load"),
    HoldReason.GAIN_TOO_SMALL: _("the predicted gain of other splits is too small"),
    HoldReason.UNCONFIRMED: _("another split is predicted to be better; waiting for confirmation"),
    HoldReason.COOLDOWN: _("the load changes faster than DomTune can follow; pausing for a while"),
    HoldReason.COMPARISON: _("a comparison period of another variant is in progress"),
    HoldReason.MISSING: _("the host reports no usable counters"),
}
NO_LIMITS_HINT = _(
    "Caps leave unused CPU idle, so following never adds caps to a host without caps. "
    "To set a split anyway, use 'domtune apply URL --split a:b' or 'domtune apply RUN'."
)


def hold_words(hold: HoldReason) -> str:
    """Return the text of a reason to hold."""
    return _HOLDS[hold]


def move_words(decision: MoveDecision, mode: Mode) -> str:
    """Return the reason for a move, as sentences; empty for a decision without usage.

    Args:
        decision: The decision to move.
        mode: Mode of the split; the predicted gain appears for caps only.
    """
    if decision.used_frac is None or decision.cost_ratio is None:
        return ""
    io, guest = decision.used_frac
    words = [
        _("The I/O domain used {io} of its CPU allotted, the guest {guest}.").format(
            io=format_percent(io), guest=format_percent(guest)
        ),
        _("A transaction needs {cost_ratio:.2g} times as much CPU in the I/O domain as in the guest.").format(
            cost_ratio=decision.cost_ratio
        ),
    ]
    if decision.predicted_gain is not None and mode is Mode.CAPS:
        words.append(
            _("Predicted gain: {expm1} (estimate).").format(expm1=format_percent(math.expm1(decision.predicted_gain)))
        )
    return " ".join(words)


_RANGE_FIELD = "--range"
_RANGE_HINT = _(
    "Write two splits from 1:9 to 9:1. The split with less CPU for the I/O domain comes first, for example 1:5..5:1."
)
_ROUNDING = 1e-9


class WorstCase(msgspec.Struct, frozen=True):
    """Worst result of following while it goes on.

    Attributes:
        log_ratio: The worst split of the range, ln(I/O domain / guest).
        part: Predicted throughput at that split as a share of the present one, 0..1; None when it cannot be predicted.
    """

    log_ratio: float
    part: float | None


def parse_range(text: str) -> tuple[Split, Split]:
    """Parse a range of splits such as `1:5..5:1`; raise SpecError for other text."""
    low, dots, high = text.partition("..")
    if not dots:
        raise SpecError(_RANGE_FIELD, _("{text!r} is not a range of splits").format(text=text), hint=_RANGE_HINT)
    ends = parse_split(low, _RANGE_FIELD), parse_split(high, _RANGE_FIELD)
    first, second = map(log_ratio_of, ends)
    if not -WIDEST - _ROUNDING <= first < second <= WIDEST + _ROUNDING:
        raise SpecError(
            _RANGE_FIELD,
            _("{text!r} does not have two splits from 1:9 to 9:1 in ascending order").format(text=text),
            hint=_RANGE_HINT,
        )
    return ends


def follow_bounds(ends: tuple[Split, Split]) -> FollowBounds:
    """Return the bounds of following within a range of two splits."""
    low, high = map(log_ratio_of, ends)
    return FollowBounds(low=max(low, -WIDEST), high=min(high, WIDEST))


def find_worst_case(use: PairUsage | None, allowed: PairLimits, bounds: FollowBounds) -> WorstCase:
    """Return the worst end of a range under the present load.

    Curves fall towards both ends of the range, so that no split between the ends is worse.

    Args:
        use: CPU used by both domains; None when it is not known.
        allowed: CPU allotted to both domains.
        bounds: Bounds of following.
    """
    pointed = find_target_split(use, allowed) if use is not None else None
    if use is None or pointed is None:
        far = max((bounds.low, bounds.high), key=lambda end: abs(end - allowed.log_ratio))
        return WorstCase(far, None)
    curve = GainCurve(use, allowed, pointed)
    predicted_gain, end = min((curve.predicted_gain(end), end) for end in (bounds.low, bounds.high))
    return WorstCase(end, math.exp(min(0.0, predicted_gain)))

"""Decide after each window: move to another split, or hold, and why. Pure: no clock, no host, no throughput.

The rule (`split_rule.py`) names the split, the fitted curve (`gain_model.py`) what it would bring. A move is made for a
large promise soon, for a small one only when the load has been the same for a while: a dead band in gain, not in
splits. The figures are those that a reference simulation was tuned with, on seeds that no figure of it is made of; they
matter little: 3 to 10 % for `fast_gain`, 1 to 3 % for `slow_gain` change what following brings by less than a point.

A bucket of moves allows a quick run of them, and few for long. When it is nearly empty the load turns faster than it
can be followed: chasing it costs more than it brings. Then it is calm for half an hour, and for twice as long each time
that this comes again soon.
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

_HOUR_S = 3600.0
_CALM_S = 1800.0
_LONGEST_CALM_S = 4 * _HOUR_S
_SOON_S = 2 * _HOUR_S


class MoveBudget:
    """Moves that may be made.

    Args:
        burst: How many at most, and at the beginning.
        per_hour: How many come back in an hour.
    """

    def __init__(self, burst: int, per_hour: float) -> None:
        self._burst, self._per_s = float(burst), per_hour / _HOUR_S
        self._left, self._at_s = float(burst), 0.0

    def moves_left(self, at_s: float) -> float:
        """Return how many may be made now; times never go back."""
        self._left = min(self._burst, self._left + (at_s - self._at_s) * self._per_s)
        self._at_s = at_s
        return self._left

    def spend_move(self, at_s: float) -> None:
        """Make one."""
        self._left = max(0.0, self.moves_left(at_s) - 1.0)


class Cooldown:
    """Half an hour in which only what the last half hour as a whole wants is done; longer when it comes again soon."""

    def __init__(self) -> None:
        self.until_s = -_SOON_S
        self._lasts_s = 0.0

    def is_active(self, at_s: float) -> bool:
        """Return whether it is calm."""
        return at_s < self.until_s

    def start(self, at_s: float) -> None:
        """Begin; at once after the last one it lasts twice as long, four hours at most."""
        soon = self._lasts_s > 0 and at_s - self.until_s < _SOON_S
        self._lasts_s = min(_LONGEST_CALM_S, 2 * self._lasts_s) if soon else _CALM_S
        self.until_s = at_s + self._lasts_s


_SETTLED_S = 60.0  # since the last move, before a small promise counts
_RUNNING = 2  # windows in a row that promise much
_CURVES = 180  # the last half hour's
_FEW_MOVES = 2.0
_CALM_GAIN = 0.02
_GAINS = (0.01, 0.5)


class HoldReason(enum.StrEnum):
    """Why nothing is changed."""

    GATHERING = "gathering"  # too few windows since the last move, or of this load
    IDLE = "idle"
    BOTH_SATURATED = "blind"  # both domains take all that they may
    NO_CONTENTION = "free"  # nobody else wants the CPU: weights decide nothing
    AT_OPTIMUM = "near"  # the split is within what can be told apart
    GAIN_TOO_SMALL = "little"  # another one promises too little
    UNCONFIRMED = "once"  # another one promises more, but has not long enough
    COOLDOWN = "calm"
    COMPARISON = "turn"  # a static split, or the host as found, has its turn to be compared with
    MISSING = "missing"  # no counters


class FollowBounds(msgspec.Struct, frozen=True):
    """What following may do.

    Attributes:
        low: The split with the least for the I/O domain that may be set, ln(I/O domain / guest).
        high: That with the most.
        fast_gain: Promise of ln(throughput) that is moved for when two windows in a row make it.
        slow_gain: What a load that has stayed the same is moved for.
        burst: Moves that may follow one another at most.
        per_hour: Moves an hour, in the long run.
        least_frac: Smaller changes of a share are not made.
    """

    low: float = -math.log(5.0)
    high: float = math.log(5.0)
    fast_gain: float = 0.05
    slow_gain: float = 0.02
    burst: int = 10
    per_hour: float = 20.0
    least_frac: float = 0.02

    def __post_init__(self) -> None:
        """Refuse what is no range, or no tempo; raises SpecError."""
        if not -WIDEST <= self.low < self.high <= WIDEST:
            hint = "Name two splits from 1:9 to 9:1, the smaller one first, for example 1:5..5:1."
            raise SpecError("range", "holds no two splits that may be set", hint=hint)
        low, high = _GAINS
        if not low <= self.slow_gain <= self.fast_gain <= high:
            raise SpecError("gain", f"not {format_percent(low)} <= slow <= fast <= {format_percent(high)}")
        if not (1 <= self.burst <= 60 and 1 <= self.per_hour <= 60):
            raise SpecError("moves", "not 1 to 60 in a row, and an hour")


class MoveDecision(msgspec.Struct, frozen=True):
    """What one window led to.

    Attributes:
        move: The split to set, ln(I/O domain / guest); None to hold.
        hold: Why not.
        wish: Where the rule points, within the range; None where it does not.
        promise: What that promises, ln(throughput); None where it was not asked.
        used_frac: What each domain used of what it may, I/O domain first.
        cost_ratio: CPU of the I/O domain per CPU of the guest.
        would: While another arm has its turn: where following would move to, had it its own; None where it would not.
    """

    move: float | None = None
    hold: HoldReason | None = None
    wish: float | None = None
    promise: float | None = None
    used_frac: tuple[float, float] | None = None
    cost_ratio: float | None = None
    would: float | None = None


class MoveDecider:
    """Decides, window by window; whoever makes the move says so with `moved`.

    Args:
        bounds: What it may do.
    """

    def __init__(self, bounds: FollowBounds) -> None:
        self._bounds = bounds
        self._kept = WindowBuffer()
        self._bucket = MoveBudget(bounds.burst, bounds.per_hour)
        self.cooldown = Cooldown()
        self._curves: deque[LoadMinute] = deque(maxlen=_CURVES)
        self._much = 0  # windows in a row that promise much
        self._moved_s = -math.inf

    def note_move(self, at_s: float) -> None:
        """Another split is set; what was kept was seen at the one before."""
        self._kept.changed()
        self._much = 0
        self._moved_s = at_s

    def decide(
        self, at_s: float, use: PairUsage, allowed: PairLimits, *, decides: bool = True, left: float | None = None
    ) -> MoveDecision:
        """Take a window; return what it leads to.

        Args:
            at_s: When it ended, seconds on a clock that never goes back.
            use: CPU that both domains received, and the part of what they may use that others left.
            allowed: What they might use meanwhile.
            decides: False where what is set decides nothing: weights, and nobody else wants the CPU.
            left: Where following would be by now, ln(I/O domain / guest), in a comparison period of another variant:
                no move is made, but what following would have done is spent. None while following itself is in force.
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
        told = MoveDecision(wish=wish, used_frac=pointed.used_frac, cost_ratio=pointed.cost_ratio)
        if not decides or pointed.blind:
            self._much = 0
            return _hold_decision(told, HoldReason.BOTH_SATURATED if decides else HoldReason.NO_CONTENTION)
        curve = GainCurve(mean, allowed, pointed)
        here = allowed.log_ratio if left is None else left
        if self.cooldown.is_active(at_s):
            decision = self._decide_in_cooldown(at_s, told, here)
        else:
            decision = self._decide_by_gain(
                at_s, msgspec.structs.replace(told, promise=curve.promise(wish, here)), here
            )
        return decision if left is None else self._make_virtual(at_s, decision)

    def _make_virtual(self, at_s: float, decision: MoveDecision) -> MoveDecision:
        """Return a decision as a virtual move, which uses up budget and windows as a real one does.

        Otherwise moves would recover in comparison periods of the other variants, and following would have more of
        them in its own periods than it has where nothing is compared.
        """
        if decision.move is not None:
            self.note_move(at_s)
        return msgspec.structs.replace(
            decision, move=None, promise=None, hold=HoldReason.COMPARISON, would=decision.move
        )

    def _decide_by_gain(self, at_s: float, told: MoveDecision, here: float) -> MoveDecision:
        """Decide on a move from the split `here`, ln(I/O domain / guest), by its predicted gain."""
        if told.wish is None or not self._is_far_enough(told.wish, here):
            self._much = 0
            return _hold_decision(msgspec.structs.replace(told, promise=None), HoldReason.AT_OPTIMUM)
        promise = told.promise or 0.0
        self._much = self._much + 1 if promise > self._bounds.fast_gain else 0
        settled = self._kept.count >= MOST_KEPT and at_s - self._moved_s >= _SETTLED_S
        if self._much < _RUNNING and not (settled and promise > self._bounds.slow_gain):
            return _hold_decision(
                told, HoldReason.GAIN_TOO_SMALL if promise <= self._bounds.slow_gain else HoldReason.UNCONFIRMED
            )
        if self._bucket.moves_left(at_s) < _FEW_MOVES:
            self.cooldown.start(at_s)
            return _hold_decision(told, HoldReason.COOLDOWN)
        self._bucket.spend_move(at_s)
        return msgspec.structs.replace(told, move=told.wish)

    def _decide_in_cooldown(self, at_s: float, told: MoveDecision, here: float) -> MoveDecision:
        """Decide on a move from the split `here`, ln(I/O domain / guest), by the last half hour as a whole."""
        if not self._curves or self._bucket.moves_left(at_s) < 1:
            return _hold_decision(told, HoldReason.COOLDOWN)
        losses = mean_losses(self._curves)
        outside = np.clip(GRID, self._bounds.low, self._bounds.high) != GRID
        best = int(np.argmax(np.where(outside, -np.inf, losses)))
        promise = float(losses[best]) - float(np.interp(here, GRID, losses))
        wish = float(GRID[best])
        told = msgspec.structs.replace(told, wish=wish, promise=promise)
        if promise <= _CALM_GAIN or not self._is_far_enough(wish, here):
            return _hold_decision(told, HoldReason.COOLDOWN)
        self._bucket.spend_move(at_s)
        return msgspec.structs.replace(told, move=wish)

    def _is_far_enough(self, wish: float, here: float) -> bool:
        return abs(io_share_of(wish) - io_share_of(here)) >= self._bounds.least_frac

    def _keep_curve(self, at_s: float, use: PairUsage, allowed: PairLimits) -> None:
        """Keep a window's curve where calm may need it.

        One of each window, not of each minute: the mean use of a load that turns within a minute is no load there was.
        """
        if not (self.cooldown.is_active(at_s) or self._bucket.moves_left(at_s) < self._bounds.burst / 2):
            return
        seen = build_minute(use, allowed, at_s)
        if seen is not None:
            self._curves.append(seen)


def _hold_decision(told: MoveDecision, why: HoldReason) -> MoveDecision:
    return msgspec.structs.replace(told, hold=why)


_HOLDS = {
    HoldReason.GATHERING: "gathering windows of this load at this split",
    HoldReason.IDLE: "both domains together use under 0.05 CPUs",
    HoldReason.BOTH_SATURATED: "both domains use all that they may: what they need cannot be told",
    HoldReason.NO_CONTENTION: "nobody else wants a CPU that is full, so weights decide nothing",
    HoldReason.AT_OPTIMUM: "this split suits the load",
    HoldReason.GAIN_TOO_SMALL: "another split promises too little",
    HoldReason.UNCONFIRMED: "another split promises more, and is set when it goes on promising it",
    HoldReason.COOLDOWN: "the load turns faster than it can be followed, so it is left alone for a while",
    HoldReason.COMPARISON: "another arm has its turn, to be compared with",
    HoldReason.MISSING: "the host gives no counters that can be used",
}
NO_LIMITS_HINT = (
    "No split beats no limit: a limit lends nothing, so following never makes one where there was none. "
    "'domtune apply URL --split a:b', or a sweep's 'domtune apply RUN', is the deliberate way."
)


def hold_words(hold: HoldReason) -> str:
    """Return why nothing is changed."""
    return _HOLDS[hold]


def move_words(decision: MoveDecision, mode: Mode) -> str:
    """Return why another split was set."""
    if decision.used_frac is None or decision.cost_ratio is None:
        return ""
    io, guest = decision.used_frac
    words = [
        f"The I/O domain used {format_percent(io)} of what it may, the guest {format_percent(guest)}.",
        f"A transaction costs the I/O domain {decision.cost_ratio:.2g} of what it costs the guest.",
    ]
    if decision.promise is not None and mode is Mode.CAPS:
        words.append(f"Promised: {format_percent(math.expm1(decision.promise))} more (estimate).")
    return " ".join(words)


_RANGE_FIELD = "--range"
_RANGE_HINT = "Write two splits from 1:9 to 9:1, the one with less for the I/O domain first, for example 1:5..5:1."
_ROUNDING = 1e-9


class WorstCase(msgspec.Struct, frozen=True):
    """The worst that following can do as long as it goes on.

    Attributes:
        log_ratio: The worst split of the range, ln(I/O domain / guest).
        part: What it would do of what is done now, 0.3 for 30 %; None where that cannot be told.
    """

    log_ratio: float
    part: float | None


def parse_range(text: str) -> tuple[Split, Split]:
    """Read `1:5..5:1`; raises SpecError."""
    low, dots, high = text.partition("..")
    if not dots:
        raise SpecError(_RANGE_FIELD, f"{text!r} is no range of splits", hint=_RANGE_HINT)
    ends = parse_split(low, _RANGE_FIELD), parse_split(high, _RANGE_FIELD)
    first, second = map(log_ratio_of, ends)
    if not -WIDEST - _ROUNDING <= first < second <= WIDEST + _ROUNDING:
        raise SpecError(
            _RANGE_FIELD, f"{text!r} holds no two splits from 1:9 to 9:1, the smaller one first", hint=_RANGE_HINT
        )
    return ends


def follow_bounds(ends: tuple[Split, Split]) -> FollowBounds:
    """Return what following may do within a range."""
    low, high = map(log_ratio_of, ends)
    return FollowBounds(low=max(low, -WIDEST), high=min(high, WIDEST))


def find_worst_case(use: PairUsage | None, allowed: PairLimits, bounds: FollowBounds) -> WorstCase:
    """Return the worst end of a range under the load of the moment; curves fall towards both ends."""
    pointed = find_target_split(use, allowed) if use is not None else None
    if use is None or pointed is None:
        far = max((bounds.low, bounds.high), key=lambda end: abs(end - allowed.log_ratio))
        return WorstCase(far, None)
    curve = GainCurve(use, allowed, pointed)
    promise, end = min((curve.promise(end), end) for end in (bounds.low, bounds.high))
    return WorstCase(end, math.exp(min(0.0, promise)))

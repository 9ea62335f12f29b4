"""Which arm has its turn: following, the static split, or the host as found; by a seed alone, never by throughput.

Time is cut into epochs of ten minutes. A block is an epoch of each arm in random order; the block is what is compared,
so that whatever changes from hour to hour hits all its arms alike (switchback experiments: Bojinov, Simchi-Levi and
Zhao, Management Science 69(7), 2023). Outside of blocks, following goes on uncounted.
"""

import enum
import random

import msgspec

COMPARISON_PERIOD_S = 600.0
SKIPPED_S = 60.0  # of each epoch, at its start: what the one before left behind
_PERCENTS = (0, 10, 50)
_ALL, _SOME = 50, 10


class Variant(enum.StrEnum):
    """What is done in an epoch."""

    FOLLOWING = "following"
    STATIC = "static"
    FOUND = "found"


class ComparisonPeriod(msgspec.Struct, frozen=True):
    """Ten minutes of one arm.

    Attributes:
        number: From 0, on the run's clock.
        arm: What is done.
        block: Number of its block; None where it is not counted.
    """

    number: int
    arm: Variant = Variant.FOLLOWING
    block: int | None = None

    @property
    def begins_s(self) -> float:
        """On the run's clock."""
        return self.number * COMPARISON_PERIOD_S

    @property
    def ends_s(self) -> float:
        """On the run's clock."""
        return self.begins_s + COMPARISON_PERIOD_S


class PeriodSchedule:
    """The order of epochs of one run.

    Args:
        arms: Those that are compared; following is among them.
        account_pct: 50: every block. 10: so many of them that a tenth of the time is not following. 0: none.
        seed: What the order is drawn from.
        for_s: How long the run takes; a block that does not fit is not begun.
    """

    def __init__(self, arms: tuple[Variant, ...], account_pct: int, seed: int, for_s: float) -> None:
        if account_pct not in _PERCENTS:
            raise ValueError(f"account_pct is {account_pct}, not one of {_PERCENTS}")
        self._arms, self._seed, self._for_s = arms, seed, for_s
        others = len(arms) - 1
        self._turn = 0 if not account_pct or not others else len(arms)
        if account_pct == _SOME:
            self._turn = others * 100 // _SOME

    def at(self, elapsed_s: float) -> ComparisonPeriod:
        """Return the epoch of a moment of the run."""
        number = int(elapsed_s // COMPARISON_PERIOD_S)
        if not self._turn:
            return ComparisonPeriod(number)
        block, place = divmod(number, self._turn)
        dice = random.Random(f"{self._seed} {block}")  # the order of a block does not hang on how one came to it
        first = dice.randrange(self._turn - len(self._arms) + 1)
        order = list(self._arms)
        dice.shuffle(order)
        ends_s = (block * self._turn + first + len(order)) * COMPARISON_PERIOD_S
        if not first <= place < first + len(order) or ends_s > self._for_s:
            return ComparisonPeriod(number)
        return ComparisonPeriod(number, order[place - first], block)

    @property
    def blocks(self) -> int:
        """How many blocks fit into the run, at most."""
        return int(self._for_s // (self._turn * COMPARISON_PERIOD_S)) if self._turn else 0

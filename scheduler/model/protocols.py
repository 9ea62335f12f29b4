"""Protocols: how long and how often each setting is measured."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.parameters import Parameter

_ADAPTING = ("adaptive", "quick", "strict")

WINDOWS = (
    Parameter(
        name="repeats",
        title="Trials per split and load",
        help="Trials per split and load; with protocols that adapt, the most of them.",
        default=3,
        default_text="the protocol's",
        low=1,
        high=1_000,
    ),
    Parameter(
        name="measure_s",
        title="Measured window",
        help="Seconds measured per trial.",
        default=10,
        default_text="the protocol's",
        low=1,
        high=86_400,
        unit="s",
    ),
    Parameter(
        name="settle_s",
        title="Excluded after a change of the split",
        help="Seconds excluded after a change of the split.",
        default=6,
        default_text="the protocol's",
        high=3_600,
        unit="s",
    ),
    Parameter(
        name="load_settle_s",
        title="Excluded after a change of the load",
        help="Seconds excluded after a change of the load.",
        default=15,
        default_text="the protocol's",
        high=3_600,
        unit="s",
    ),
    Parameter(
        name="limit_min",
        title="Time limit",
        help="Minutes of settling and measuring after which the sweep ends, decided or not; 0 for no limit.",
        default=60,
        default_text="the protocol's",
        applies=", ".join(_ADAPTING),
        high=10_000,
        unit="min",
    ),
    Parameter(
        name="restart_settle_s",
        title="Excluded after a restart of the database",
        help="Restart the built-in database before each block but the first, and exclude so many seconds after the "
        "restart; 0 for no restart.",
        default=45,
        default_text="0",
        applies=", ".join(_ADAPTING),
        high=3_600,
        unit="s",
    ),
)
"""Windows of a protocol that a plan may change."""

REFINE = Parameter(
    name="refine",
    title="Look between the splits",
    help="After the decision, add up to three splits between the measured ones that may be better.",
    default=True,
    default_text="false",
    applies=", ".join(_ADAPTING),
    more="../explanation/statistics.md#between-the-measured-splits",
)


class SweepProtocol(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long and how often each setting is measured.

    Attributes:
        name: One of `PROTOCOLS`.
        repeats: Trials per setting and load, >= 1; of one that adapts at most so many.
        measure_s: Measured window of one trial, whole seconds >= 1.
        settle_s: Cut after a change of the setting, whole seconds >= 0.
        load_settle_s: Cut after a change of the load, whole seconds >= 0.
        limit_min: One that adapts ends after so many minutes of settling and measuring, decided or not; 0 means never.
        restart_settle_s: One that adapts has the database started anew before each block but the first, and cuts so
            many whole seconds after it; 0 means that it is never started anew.
        refine: One that adapts goes on, once it is decided, with splits between the measured ones that promise more.
    """

    name: str
    repeats: int
    measure_s: int
    settle_s: int
    load_settle_s: int
    limit_min: int = 0
    restart_settle_s: int = 0
    refine: bool = False

    def __post_init__(self) -> None:
        """Refuse windows that measure nothing; raises SpecError."""
        for each in WINDOWS:
            each.check(each.name, getattr(self, each.name))
        if self.refine and not self.adapts:
            hint = f"Leave it out, or take one that decides as it goes: {', '.join(_ADAPTING)}."
            raise SpecError("refine", f"{self.name!r} decides nothing as it goes", hint=hint)

    @property
    def warm_up_s(self) -> int:
        """Seconds that the first trial after a start of the database excludes: its caches are empty until then.

        As long as after a restart that the plan asks for; else three settlings of a load, at most `MOST_WARM_UP_S`.
        """
        return self.restart_settle_s or min(MOST_WARM_UP_S, 3 * self.load_settle_s)

    @property
    def adapts(self) -> bool:
        """True when the plan decides as it goes how often each setting is measured."""
        return self.name in _ADAPTING

    @property
    def needs_certificates(self) -> bool:
        """True when nothing is claimed without a certificate."""
        return self.name == "strict"


MOST_WARM_UP_S = 45
"""Seconds after which a database that was just started is taken to be warm; the model of cold starts in
`scheduler/sim/noise.py` needs 10 to 40 s."""

MOST_ADDED_SPLITS = 3
"""Splits that `refine` adds to a sweep at most: each step of the interpolation gains far less than the one before."""

PROTOCOLS: Mapping[str, SweepProtocol] = {
    # Short trials to whoever may still be the best, until it is decided: certain, likely, or certified.
    "adaptive": SweepProtocol("adaptive", repeats=200, measure_s=7, settle_s=6, load_settle_s=15, limit_min=180),
    "quick": SweepProtocol("quick", repeats=200, measure_s=7, settle_s=6, load_settle_s=15, limit_min=60),
    "strict": SweepProtocol("strict", repeats=200, measure_s=7, settle_s=6, load_settle_s=15, limit_min=180),
    # Many short trials beat few long ones where trials differ more than the seconds within them (Kalibera and
    # Jones, ISMM 2013). The cuts are chosen, not measured: nobody has yet timed how long `local:` takes to settle.
    "grid": SweepProtocol("grid", repeats=3, measure_s=10, settle_s=4, load_settle_s=8),
    # Calheiros et al.: ten repetitions of five minutes.
    "replicate": SweepProtocol("replicate", repeats=10, measure_s=300, settle_s=6, load_settle_s=45),
    # Base and other sides in turn, long enough for whole rounds of the queries at scale 0.1.
    "paired": SweepProtocol("paired", repeats=6, measure_s=40, settle_s=3, load_settle_s=5),
    # Of transactions: with so many blocks a scale-up study decides in 80 % or more, at 3 to 5 % of noise between
    # trials; an isolation study of two splits at 3 to 4 % (`python -m tests.bench.blocks`).
    "blocks": SweepProtocol("blocks", repeats=18, measure_s=10, settle_s=3, load_settle_s=5),
    # Only the two outermost splits, to see whether splits take effect here at all; it recommends nothing.
    "calibrate": SweepProtocol("calibrate", repeats=1, measure_s=5, settle_s=4, load_settle_s=8),
}

STANDARD_PROTOCOL = "adaptive"
"""What a plan has that names none."""

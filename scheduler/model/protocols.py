"""Protocols: durations and repeats of the trials of a sweep."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.parameters import Parameter
from scheduler.model.setting import AnySetting
from scheduler.translation import _

_ADAPTING = ("adaptive", "quick", "strict")

WINDOWS = (
    Parameter(
        name="repeats",
        title=_("Trials per split and load"),
        help=_("Trials per split and load; with protocols that adapt, the most of them."),
        default=3,
        default_text=_("the protocol's"),
        low=1,
        high=1_000,
    ),
    Parameter(
        name="measure_s",
        title=_("Measured window"),
        help=_("Seconds measured per trial."),
        default=10,
        default_text=_("the protocol's"),
        low=1,
        high=86_400,
        unit="s",
    ),
    Parameter(
        name="settle_s",
        title=_("Excluded after a change of the split"),
        help=_("Seconds excluded after a change of the split."),
        default=6,
        default_text=_("the protocol's"),
        high=3_600,
        unit="s",
    ),
    Parameter(
        name="load_settle_s",
        title=_("Excluded after a change of the load"),
        help=_("Seconds excluded after a change of the load."),
        default=15,
        default_text=_("the protocol's"),
        high=3_600,
        unit="s",
    ),
    Parameter(
        name="limit_min",
        title=_("Time limit"),
        help=_("Minutes of settling and measuring after which the sweep ends, decided or not; 0 for no limit."),
        default=60,
        default_text=_("the protocol's"),
        applies=", ".join(_ADAPTING),
        high=10_000,
        unit="min",
    ),
    Parameter(
        name="restart_settle_s",
        title=_("Excluded after a restart of the database"),
        help=_(
            "Restart the built-in database before each block after the first, and exclude this time after the "
            "restart. With 0, the database is not restarted."
        ),
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
    title=_("Look between the splits"),
    help=_("After the decision, add up to three splits between the measured ones that may be better."),
    default=True,
    default_text="false",
    applies=", ".join(_ADAPTING),
    more="../explanation/statistics.md#between-the-measured-splits",
)


class SweepProtocol(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Durations and repeats of the trials of a sweep.

    Attributes:
        name: One of `PROTOCOLS`.
        repeats: Trials per setting and load, >= 1; for adaptive protocols the largest number.
        measure_s: Measured window of one trial, whole seconds >= 1.
        settle_s: Excluded after a change of the setting, whole seconds >= 0.
        load_settle_s: Excluded after a change of the load, whole seconds >= 0.
        limit_min: Minutes of settling and measuring after which an adaptive sweep ends, decided or not; 0 for no limit.
        restart_settle_s: Whole seconds to exclude after a restart of the database, which an adaptive sweep does before
            each block but the first; 0 for no restarts.
        refine: True when an adaptive sweep, once decided, adds splits between the measured ones with a predicted gain.
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
        """Refuse windows outside their ranges; raise SpecError."""
        for each in WINDOWS:
            each.check(each.name, getattr(self, each.name))
        if self.refine and not self.adapts:
            hint = _("Remove the key, or use a protocol that decides during the sweep: {adapting}.").format(
                adapting=", ".join(_ADAPTING)
            )
            raise SpecError(
                "refine", _("{value!r} makes no decisions during the sweep").format(value=self.name), hint=hint
            )

    @property
    def warm_up_s(self) -> int:
        """Seconds that the first trial after a start of the database excludes.

        The caches are empty until then. The value is that of a planned restart, else three times `load_settle_s`, at
        most `MOST_WARM_UP_S`.
        """
        return self.restart_settle_s or min(MOST_WARM_UP_S, 3 * self.load_settle_s)

    @property
    def adapts(self) -> bool:
        """True when results decide how often each setting is measured."""
        return self.name in _ADAPTING

    @property
    def decides(self) -> bool:
        """True when trials can decide on a split.

        A calibration only checks that splits take effect.
        """
        return self.name != "calibrate"

    def trial_settings(self, settings: tuple[AnySetting, ...]) -> tuple[AnySetting, ...]:
        """Return the settings to measure.

        A protocol that does not decide measures the two outermost settings only.
        """
        ordered = sorted(settings, key=lambda setting: setting.position)
        return settings if self.decides or len(settings) < 2 else (ordered[0], ordered[-1])

    @property
    def needs_certificates(self) -> bool:
        """True when nothing is claimed without a certificate."""
        return self.name == "strict"


MOST_WARM_UP_S = 45
"""Seconds after which a restarted database is assumed to be warm. The model of cold starts in
`scheduler/sim/noise.py` needs 10 to 40 s."""

MOST_ADDED_SPLITS = 3
"""Largest number of splits that `refine` adds: each step of the interpolation gains far less than the step before."""

PROTOCOLS: Mapping[str, SweepProtocol] = {
    # Short trials of the splits that may still be the best, until the sweep is decided: certain, likely or certified.
    "adaptive": SweepProtocol("adaptive", repeats=200, measure_s=7, settle_s=6, load_settle_s=15, limit_min=180),
    "quick": SweepProtocol("quick", repeats=200, measure_s=7, settle_s=6, load_settle_s=15, limit_min=60),
    "strict": SweepProtocol("strict", repeats=200, measure_s=7, settle_s=6, load_settle_s=15, limit_min=180),
    # Many short trials beat few long ones where trials differ more than the seconds within them (Kalibera and
    # Jones, ISMM 2013). The warm-up times are chosen: the settling time of `local:` was not measured.
    "grid": SweepProtocol("grid", repeats=3, measure_s=10, settle_s=4, load_settle_s=8),
    # Calheiros et al.: ten repetitions of five minutes.
    "replicate": SweepProtocol("replicate", repeats=10, measure_s=300, settle_s=6, load_settle_s=45),
    # All sides in turn, long enough for whole rounds of the queries at scale 0.1.
    "paired": SweepProtocol("paired", repeats=6, measure_s=40, settle_s=3, load_settle_s=5),
    # With so many blocks of transactions a scale-up study decides in 80 % or more, at 3 to 5 % of noise between
    # trials; an isolation study of two splits does at 3 to 4 % (`python -m tests.bench.blocks`).
    "blocks": SweepProtocol("blocks", repeats=18, measure_s=10, settle_s=3, load_settle_s=5),
    # Only the two outermost splits, to check that splits take effect; recommends nothing.
    "calibrate": SweepProtocol("calibrate", repeats=1, measure_s=5, settle_s=4, load_settle_s=8),
}

STANDARD_PROTOCOL = "adaptive"
"""Protocol of a plan that names none."""

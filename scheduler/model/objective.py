"""Objective: the meaning of "best".

Loads are weighed, or the load that loses most decides, or one load is favoured while the others lose at most a limit.
"""

import math
from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_weights
from scheduler.model.decision import SweepPurpose
from scheduler.model.load_name import LoadName
from scheduler.model.parameters import Parameter
from scheduler.translation import _

WEIGHTED, WORST_CASE, LIMITED = OBJECTIVES = ("weighted", "worst-case", "limited")

TOLERANCE_FRAC = 0.02
"""Default tolerance: losses up to this count as none. The confidence of answers was calibrated at this value."""

INDIFFERENCE_RANGE = (0.005, 0.1)
"""Smaller values would never end a sweep; larger values would call clearly different splits equal. Chosen."""


WORTH_RANGE = (0.001, 1.0)
"""Smaller values would never end a sweep; the largest value asks for twice the throughput. Chosen."""

OBJECTIVE_KEYS = (
    Parameter(
        name="name",
        title=_("Objective"),
        help=_('The meaning of "best".'),
        default=WEIGHTED,
        choices=OBJECTIVES,
    ),
    Parameter(
        name="load",
        title=_("Load to favour"),
        help=_("The load to favour; required with limited."),
        default="",
        applies=LIMITED,
        checked=False,
    ),
    Parameter(
        name="limit_frac",
        title=_("Limit"),
        help=_(
            "Loss that each other load may have against its own best split, above 0 and below 1; required with limited."
        ),
        default=0.0,
        applies=LIMITED,
        high=1,
    ),
    Parameter(
        name="tolerance_frac",
        title=_("Indifference"),
        help=_("Differences up to this count as none; 0.02 is 2 %."),
        default=TOLERANCE_FRAC,
        low=INDIFFERENCE_RANGE[0],
        high=INDIFFERENCE_RANGE[1],
        more="../explanation/statistics.md#the-adaptive-sweep",
    ),
    Parameter(
        name="purpose",
        title=_("Purpose"),
        help=_(
            "`improve`: change the split only if that pays. `divide`: the CPU has to be divided, whatever that costs "
            "against the original settings."
        ),
        default=SweepPurpose.IMPROVE.value,
        choices=tuple(purpose.value for purpose in SweepPurpose),
    ),
    Parameter(
        name="worth_frac",
        title=_("Gain that pays"),
        help=_("Smallest gain over the original settings that pays for a change; 0.02 is 2 %."),
        default=0.02,
        default_text="tolerance_frac",
        low=WORTH_RANGE[0],
        high=WORTH_RANGE[1],
    ),
)
"""Keys of a plan's table `objective`, without the weights."""


class Objective(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Preference between splits.

    Attributes:
        name: `weighted` (geometric mean of the loads' throughputs), `worst-case` (the load that loses most against its
            own best split loses least) or `limited` (best for one load while each other loses at most a limit).
        load: With `limited`, the name of the load to favour; else empty.
        limit_frac: With `limited`, the largest loss of each other load against its own best split, within (0, 1); else
            0.
        tolerance_frac: Tolerance: losses up to this count as none, within `INDIFFERENCE_RANGE`.
        purpose: `improve` (change only if it pays) or `divide` (the CPU has to be divided).
        worth_frac: Smallest gain over the original settings that is worth a change, within `WORTH_RANGE`; None for
            `tolerance_frac`.
    """

    name: str = WEIGHTED
    load: LoadName = msgspec.field(default_factory=lambda: LoadName(""))
    limit_frac: float = 0.0
    tolerance_frac: float = TOLERANCE_FRAC
    purpose: SweepPurpose = SweepPurpose.IMPROVE
    worth_frac: float | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown name, or a load or limit that does not fit; raise SpecError."""
        for each in OBJECTIVE_KEYS:
            value = getattr(self, each.name)
            if value is not None and value != each.default:
                each.check(f"objective.{each.name}", str(value) if isinstance(value, str) else value)
        if self.name == LIMITED:
            if not self.load:
                raise SpecError(
                    "objective.load", _("none given"), hint=_("Name the load to favour, for example osdb-ir.")
                )
            if not 0 < self.limit_frac < 1:  # also true for NaN
                problem = _("{limit_frac} is not between 0 and 1").format(limit_frac=self.limit_frac)
                raise SpecError("objective.limit_frac", problem, hint=_("0.05 lets the other load lose 5 %."))
        elif self.load or self.limit_frac:
            field = "objective.load" if self.load else "objective.limit_frac"
            raise SpecError(
                field,
                _("has no effect with {value}").format(value=self.name),
                hint=_("Leave it out, or use {limited}.").format(limited=LIMITED),
            )

    @property
    def tolerance(self) -> float:
        """Tolerance as a difference of ln(utility), > 0."""
        return -math.log1p(-self.tolerance_frac)

    @property
    def least_gain_frac(self) -> float:
        """Smallest gain over the original settings that is worth a change, 0..1."""
        return self.tolerance_frac if self.worth_frac is None else self.worth_frac

    @property
    def weighs(self) -> bool:
        """True when the loads' weights decide."""
        return self.name == WEIGHTED


def check_objective(
    objective: Objective, weights: Mapping[str, float], kinds: set[str], *, certifies: bool, refines: bool
) -> None:
    """Refuse an objective or weights that do not fit a sweep.

    Args:
        objective: The sweep's objective.
        weights: Load kind to weight, >= 0.
        kinds: The sweep's loads.
        certifies: True when its protocol claims nothing without a certificate.
        refines: True when it adds splits between the measured ones.

    Raises:
        SpecError: The objective or the weights do not fit.
    """
    check_weights(weights, kinds)
    if objective.weighs:
        return
    name = objective.name
    if weights:
        hint = _("Leave the weights out, or use weighted.")
        raise SpecError("objective.weights", _("have no effect with {name}").format(name=name), hint=hint)
    if len(kinds) < 2:
        raise SpecError(
            "objective.name",
            _("{name} compares two loads, and there is one").format(name=name),
            hint=_("Use weighted."),
        )
    if objective.load and objective.load not in kinds:
        hint = _("Its loads: {kinds}.").format(kinds=", ".join(sorted(kinds)))
        raise SpecError(
            "objective.load", _("{load!r} is not a load of this sweep").format(load=objective.load), hint=hint
        )
    if refines:
        problem = _("refine follows a curve that {name} does not have").format(name=name)
        raise SpecError("objective.name", problem, hint=_("Leave refine out, or use weighted."))
    if certifies:
        hint = _("Use adaptive, or the objective weighted.")
        raise SpecError("protocol", _("strict has no certificates for {name}").format(name=name), hint=hint)

"""Studies: the unions of all questions, of their findings and of their settings.

Each study is declared in its folder (`scheduler/studies/NAME/declaration.py`). Plan file, wizard, pages and reports
derive from the declarations. To add a study: docs/developers/add-a-study.md.
"""

from collections.abc import Mapping
from typing import Any, cast, get_args

from scheduler.errors import SpecError
from scheduler.model.isolation_findings import IsolationFinding
from scheduler.model.setting import GuestsSetting, SideSetting, SplitSetting, UsersSetting, VcpusSetting
from scheduler.model.study_kind import StudyKind
from scheduler.studies.capacity.declaration import CapacityFinding, CapacityStudy
from scheduler.studies.dom0_cpus.declaration import Dom0CpusStudy
from scheduler.studies.isolation.declaration import IsolationStudy
from scheduler.studies.overhead.declaration import OverheadFinding, OverheadStudy
from scheduler.studies.scaling.declaration import ScaleUpFinding, ScaleUpStudy
from scheduler.studies.split.declaration import SplitStudy

Study = SplitStudy | CapacityStudy | OverheadStudy | ScaleUpStudy | IsolationStudy | Dom0CpusStudy
StudyFinding = CapacityFinding | OverheadFinding | ScaleUpFinding | IsolationFinding
Setting = SplitSetting | UsersSetting | SideSetting | VcpusSetting | GuestsSetting

SPLIT, CAPACITY, OVERHEAD = SplitStudy.kind.name, CapacityStudy.kind.name, OverheadStudy.kind.name
SCALE_UP, ISOLATION = ScaleUpStudy.kind.name, IsolationStudy.kind.name
CALIBRATION, CALIBRATE = "calibration", "calibrate"  # a study in plans: the split study with the protocol `calibrate`

_NO_GUEST_2 = "has no effect with one guest"
_ELSEWHERE = {
    "demand_users": "has no effect when users are not varied",
    "base": "has no effect without a reference",
    "second_users": _NO_GUEST_2,
    "second_database": _NO_GUEST_2,
    "guest_2_domain": _NO_GUEST_2,
}
"""Field of a study to the reason why the plans of other studies cannot have it."""
PLAN_KEYS: Mapping[str, str] = {"guest_2_domain": "domains.guest_2"}
"""Field of a study to its key in a plan file, where the key has another name."""

_STUDY_TYPES: Mapping[str, type[Study]] = {study.kind.name: study for study in get_args(Study)}
STUDY_FIELDS: tuple[str, ...] = tuple(
    dict.fromkeys(field for study in _STUDY_TYPES.values() for field in study.__struct_fields__)
)
"""Fields of all studies, each once."""
STUDIES: Mapping[str, StudyKind] = {name: study.kind for name, study in _STUDY_TYPES.items()}


def find_study(name: str) -> StudyKind:
    """Return the record of a study.

    Raises:
        SpecError: There is no such study; the hint lists all studies.
    """
    if name not in STUDIES:
        raise SpecError(
            "study", f"{name!r} is not a study", hint=f"Known studies: {', '.join((*STUDIES, CALIBRATION))}."
        )
    return STUDIES[name]


def build_study(name: str, given: Mapping[str, Any]) -> Study:
    """Return a study from the keys of a plan.

    Args:
        name: Name of the study.
        given: Field to its value, of all studies; 0 or empty where the plan has none.

    Raises:
        SpecError: There is no such study, or it has no such field.
    """
    made = _STUDY_TYPES[find_study(name).name]
    own = {field: _freeze(value) for field, value in given.items() if value}
    for field in own.keys() - set(made.__struct_fields__):
        reason = _ELSEWHERE.get(field, f"has no effect in the study {name!r}")
        raise SpecError(PLAN_KEYS.get(field, field), reason, hint="Leave it out.")
    return made(**own)


def _freeze(value: Any) -> Any:  # noqa: ANN401 - a value of any key
    """Return a list of a plan as a tuple, other values unchanged."""
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value


def no_split_reason(study: str) -> str:
    """Return why results of a study name no split to set; empty for the split study."""
    kind = STUDIES[study]
    return "" if kind.recommends_split else f"the study {study!r} asks {kind.question!r}, and names no split to set"

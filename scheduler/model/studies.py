"""Studies: the unions of all questions, of their findings and of their settings.

Each study is declared in its folder (`scheduler/studies/NAME/declaration.py`). Plan file, wizard, pages and reports
derive from the declarations. To add a study: docs/developers/add-a-study.md.
"""

from collections.abc import Mapping
from typing import Any, cast, get_args

import msgspec

from scheduler.errors import SpecError
from scheduler.model.parameters import Parameter
from scheduler.model.setting import GuestsSetting, SideSetting, SplitSetting, UsersSetting, VcpusSetting
from scheduler.model.study_kind import StudyKind
from scheduler.studies.capacity.declaration import CapacityFinding, CapacityStudy
from scheduler.studies.dom0_cpus.declaration import Dom0CpusStudy
from scheduler.studies.isolation.declaration import IsolationFinding, IsolationStudy
from scheduler.studies.overhead.declaration import OverheadFinding, OverheadStudy
from scheduler.studies.scaling.declaration import ScaleUpFinding, ScaleUpStudy
from scheduler.studies.split.declaration import SplitStudy
from scheduler.translation import _

Study = SplitStudy | CapacityStudy | OverheadStudy | ScaleUpStudy | IsolationStudy | Dom0CpusStudy
StudyFinding = CapacityFinding | OverheadFinding | ScaleUpFinding | IsolationFinding
Setting = SplitSetting | UsersSetting | SideSetting | VcpusSetting | GuestsSetting

SPLIT, CAPACITY, OVERHEAD = SplitStudy.kind.name, CapacityStudy.kind.name, OverheadStudy.kind.name
SCALE_UP, ISOLATION = ScaleUpStudy.kind.name, IsolationStudy.kind.name
CALIBRATION, CALIBRATE = "calibration", "calibrate"  # a study in plans: the split study with the protocol `calibrate`

_STUDY_TYPES: Mapping[str, type[Study]] = {study.kind.name: study for study in get_args(Study)}
STUDIES: Mapping[str, StudyKind] = {name: study.kind for name, study in _STUDY_TYPES.items()}


def _list_study_keys() -> dict[str, Parameter]:
    """Return the keys that only the plans of some studies have, by path."""
    found: dict[str, Parameter] = {}
    for path, key in ((path, key) for kind in STUDIES.values() for path, key in kind.own_keys.items()):
        text = key.default_text or str(key.default or "")  # no value in plans of other studies
        found[path] = msgspec.structs.replace(key, applies=", ".join(_list_owners(path)), default_text=text)
    return found


def _list_owners(path: str) -> list[str]:
    return [name for name, kind in STUDIES.items() if path in kind.own_keys]


STUDY_KEYS: Mapping[str, Parameter] = _list_study_keys()
"""Path in the plan to declaration, of the keys that only the plans of some studies have."""


def find_study(name: str) -> StudyKind:
    """Return the record of a study.

    Raises:
        SpecError: There is no such study; the hint lists all studies.
    """
    if name not in STUDIES:
        raise SpecError(
            "study",
            _("{name!r} is not a study").format(name=name),
            hint=_("Known studies: {names}.").format(names=", ".join((*STUDIES, CALIBRATION))),
        )
    return STUDIES[name]


def build_study(name: str, given: Mapping[str, Any]) -> Study:
    """Return a study from the keys of a plan.

    Args:
        name: Name of the study.
        given: Path to its value, of the keys of all studies; None, 0 or an empty text where the plan has none.

    Raises:
        SpecError: There is no such study, or it has no such key.
    """
    made = _STUDY_TYPES[find_study(name).name]
    own = {path: value for path, value in given.items() if value not in (None, "", 0)}
    for path in own.keys() - made.kind.own_keys.keys():
        hint = _("Leave it out, or take the study {list_owners}.").format(list_owners=" or ".join(_list_owners(path)))
        raise SpecError(path, _("has no effect in the study {name!r}").format(name=name), hint=hint)
    fields = {path.rpartition(".")[2]: _freeze(value) for path, value in own.items()}
    return made(**{field: value for field, value in fields.items() if field in made.__struct_fields__})


def _freeze(value: Any) -> Any:  # noqa: ANN401 - a value of any key
    """Return a list of a plan as a tuple, other values unchanged."""
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value


def no_split_reason(study: str) -> str:
    """Return why results of a study name no split to set; empty for the split study."""
    kind = STUDIES[study]
    return (
        ""
        if kind.recommends_split
        else _("the study {study!r} asks {question!r}, and names no split to set").format(
            study=study, question=kind.question
        )
    )

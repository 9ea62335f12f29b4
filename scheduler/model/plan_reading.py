"""Reader of a plan, for plan files, JSON and the wizard.

The reader reports every mistake with its field.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, cast

import msgspec

from scheduler.errors import SpecError
from scheduler.model.clients import ClientsSpec
from scheduler.model.decision import SweepPurpose
from scheduler.model.lesson_entry import LessonEntry
from scheduler.model.load import LoadSpec
from scheduler.model.load_name import LoadName
from scheduler.model.objective import Objective
from scheduler.model.parameters import Parameter
from scheduler.model.placement import preset_dedicated_splits
from scheduler.model.plan_fields import PLAN_TABLES, WEIGHT
from scheduler.model.plan_loads import read_loads
from scheduler.model.plan_tables import Values, read_list, read_mapping, read_table
from scheduler.model.problems import Problems
from scheduler.model.protocols import PROTOCOLS, REFINE, WINDOWS, SweepProtocol
from scheduler.model.server_settings import resolve_server_settings, study_server_settings
from scheduler.model.shared_set import CpusSpec
from scheduler.model.spec import HostKey, RunSpec
from scheduler.model.split import Mode
from scheduler.model.studies import CALIBRATE, CALIBRATION, SPLIT, STUDY_KEYS, Setting, Study, build_study
from scheduler.model.study_kind import StudyKind
from scheduler.model.study_spec import SettingKeys
from scheduler.translation import _

T = TypeVar("T")

_STRUCTURE = ("plan", "host", "study", "load", "mix")
"""Keys that the rules between keys depend on: after a mistake there, these rules would report false mistakes."""

_PRESET_CPUS = 4  # until the host is known
_SERVER_VALUE = Parameter(name="server", title="", help="", default="", checked=False)


def read_plan(values: Values, problems: Problems) -> RunSpec | None:
    """Return the sweep that a plan describes; None for a plan with mistakes.

    Args:
        values: The plan's keys and tables.
        problems: Collects every mistake, by the path of its key: `seed`, `load[0].users`, `objective.worth_frac`.
    """
    plan = _read_tables(values, problems)
    study, named_protocol = problems.take(lambda: _resolve_calibration(plan), (SPLIT, None))
    question = _read_study(study, plan, problems)
    kind = question.kind
    protocol = problems.take(lambda: _build_protocol(plan, named_protocol, kind), PROTOCOLS[kind.protocols[0]])
    loads = read_loads(plan["load"], plan["mix"], kind, problems)
    clients = _build_part("clients", lambda: _build_clients(plan["clients"]), ClientsSpec(), problems)
    cpus = problems.take(lambda: CpusSpec(**plan["cpus"]), CpusSpec())
    lesson = _build_part("lesson", lambda: LessonEntry(**plan["lesson"]), LessonEntry(), problems)
    objective = _build_part("objective", lambda: _build_objective(plan["objective"], loads), Objective(), problems)
    settings = _read_settings(plan, question, loads, problems)
    if problems.concern(_STRUCTURE):
        return None
    usual = study_server_settings(question, plan["host"], loads)
    server = problems.take(lambda: resolve_server_settings(plan["server"], usual, loads), {})
    problems.take(lambda: _check_baseline(plan, kind), None)
    problems.take(lambda: _check_mode(values, kind), None)
    spec = problems.take(
        lambda: RunSpec(
            name=plan["name"],
            host_url=plan["host"],
            mode=kind.mode or Mode(plan["mode"]),
            settings=settings,
            loads=loads,
            protocol=protocol,
            baseline=plan["baseline"] or not kind.recommends_split,
            history=plan["history"],
            objective=objective,
            weights=plan["objective"]["weights"],
            period_us=round(plan["period_ms"] * 1000),
            io_domain=plan["domains"]["io"],
            guest_domain=plan["domains"]["guest"],
            seed=plan["seed"],
            clients=clients,
            study=question,
            server=server,
            cpus=cpus,
            lesson=lesson,
            by_host=_list_host_keys(plan, kind),
        ),
        None,
    )
    return None if problems else spec


def _read_tables(values: Values, problems: Problems) -> dict[str, Any]:
    """Return the values of every key, and of every table under its name."""
    top = {name: value for name, value in values.items() if name not in PLAN_TABLES}
    plan = read_table(top, PLAN_TABLES[""], "", problems)
    for name in ("domains", "clients", "cpus", "lesson"):
        plan[name] = read_table(values.get(name, {}), PLAN_TABLES[name], f"{name}.", problems)
    objective = values.get("objective", {})
    weights: object = {}
    if isinstance(objective, Mapping):
        objective = dict(cast("Values", objective))
        weights = objective.pop("weights", {})
    plan["objective"] = read_table(objective, PLAN_TABLES["objective"], "objective.", problems)
    plan["objective"]["weights"] = read_mapping(weights, WEIGHT, "objective.weights", problems)
    plan["server"] = read_mapping(values.get("server", {}), _SERVER_VALUE, "server", problems)
    plan["load"] = read_list(values, "load", problems)
    plan["mix"] = read_list(values, "mix", problems) or []
    return plan


def _read_study(name: str, plan: Values, problems: Problems) -> Study:
    """Return the study with its own keys; keys of other studies are mistakes."""
    given = {path: _value_at(plan, path) for path in STUDY_KEYS}
    own = {
        path: value
        for path, value in given.items()
        if problems.take(partial(build_study, name, {path: value}), None) is not None
    }
    return build_study(name, own)


def _value_at(plan: Values, path: str) -> object:
    table, _, name = path.rpartition(".")
    return plan[table][name] if table else plan[name]


def _build_part(name: str, build: Callable[[], T], standard: T, problems: Problems) -> T:
    """Build a part from its table; return the default where a key has a mistake."""
    return standard if problems.concern((name,)) else problems.take(build, standard)


def _resolve_calibration(plan: Values) -> tuple[str, str | None]:
    """Return study and protocol of a plan.

    A calibration is the split study with the protocol `calibrate`.
    """
    study, protocol = plan["study"], plan["protocol"]
    if study != CALIBRATION:
        return study, protocol
    if protocol not in {None, CALIBRATE}:
        hint = _("Leave the protocol out.")
        raise SpecError(
            "protocol",
            _("{protocol!r} does not suit the study {calibration!r}").format(
                protocol=protocol, calibration=CALIBRATION
            ),
            hint=hint,
        )
    return SPLIT, CALIBRATE


def _build_protocol(plan: Values, named: str | None, kind: StudyKind) -> SweepProtocol:
    standard = PROTOCOLS[named or kind.protocols[0]]
    given = {key.name: plan[key.name] for key in (*WINDOWS, REFINE) if plan[key.name] is not None}
    for key in (*WINDOWS, REFINE):
        if key.applies and key.name in given and not standard.adapts:
            hint = _("Remove the key, or use a protocol that ends itself: {applies}.").format(applies=key.applies)
            raise SpecError(key.name, _("{standard!r} has a fixed length").format(standard=standard.name), hint=hint)
    return msgspec.structs.replace(standard, **given)


def _build_clients(table: Values) -> ClientsSpec:
    fields: dict[str, Any] = {**table, "workers": tuple(table["workers"] or ())}
    return ClientsSpec(**fields)


def _build_objective(table: Values, loads: Sequence[LoadSpec]) -> Objective:
    names: dict[str, LoadName] = {load.name: load.name for load in loads}
    favoured = names.get(table["load"], LoadName(table["load"]))
    fields: dict[str, Any] = {**table, "load": favoured, "purpose": SweepPurpose(table["purpose"])}
    del fields["weights"]
    return Objective(**fields)


def _read_settings(plan: Values, study: Study, loads: Sequence[LoadSpec], problems: Problems) -> tuple[Setting, ...]:
    """Return the settings; the default settings where one of their keys has a mistake."""
    splits = plan["splits"]
    if "splits" in _list_host_keys(plan, study.kind):
        splits = preset_dedicated_splits(_PRESET_CPUS)
    keys = SettingKeys(splits, loads, plan["vcpus"], plan["modes"])
    missing = problems.concern(("study", "splits", "vcpus", "modes")) or (study.kind.varies_users and not loads)
    found = None if missing else problems.take(partial(study.build_settings, keys), None)
    standard = partial(study.build_settings, SettingKeys(None, loads))
    return tuple(Problems().take(standard, ()) if found is None else found)


def _list_host_keys(plan: Values, kind: StudyKind) -> tuple[HostKey, ...]:
    """Return the missing keys of a plan that the number of shared CPUs decides."""
    if not kind.recommends_split:
        return ()
    named = any(isinstance(load, Mapping) and "users" in load for load in plan["load"] or ())
    splits = plan["splits"] is None and plan["mode"] == Mode.DEDICATED and kind.mode is None
    return (*(() if named else ("users",)), *(("splits",) if splits else ()))


def _check_baseline(plan: Values, kind: StudyKind) -> None:
    """Refuse a plan whose baseline does not fit its study; raise SpecError."""
    if not plan["baseline"] and not kind.recommends_split:
        problem = _("false does not suit the study {kind!r}").format(kind=kind.name)
        raise SpecError("baseline", problem, hint=_("Leave it out, or use the study {split!r}.").format(split=SPLIT))


def _check_mode(values: Values, kind: StudyKind) -> None:
    """Refuse another mode than that of a study with one mode; raise SpecError."""
    if kind.mode is not None and values.get("mode", kind.mode) != kind.mode:
        problem = _("{mode!r} does not suit the study {kind!r}").format(mode=values["mode"], kind=kind.name)
        raise SpecError("mode", problem, hint=_("Leave it out, or write mode = {mode!r}.").format(mode=kind.mode.value))

"""The plan file: TOML in, RunSpec out, and back. The wizard writes the same file that `run` reads."""

import os
import re
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from scheduler.errors import SpecError
from scheduler.files import UnfitFile, open_regular
from scheduler.model.clients import WAIT, ClientsSpec
from scheduler.model.decision import SweepPurpose
from scheduler.model.load_kinds import list_standard_kinds
from scheduler.model.objective import INDIFFERENCE_FRAC, WEIGHTED, Objective
from scheduler.model.plan_loads import gather_parameters, spread_parameters
from scheduler.model.plan_mixes import LoadTable, MixTable, build_load_tables, build_loads, build_mix_tables
from scheduler.model.plan_settings import build_settings, list_modes, list_splits, list_vcpus
from scheduler.model.plan_toml import order_keys, read_toml, write_toml
from scheduler.model.protocols import PROTOCOLS, SweepProtocol
from scheduler.model.server_settings import resolve_server_settings, settings_to_write, study_server_settings
from scheduler.model.spec import RunSpec
from scheduler.model.split import parse_mode
from scheduler.model.studies import CALIBRATE, CALIBRATION, SPLIT, Study, build_study
from scheduler.model.study_kind import StudyKind
from scheduler.model.text_decoding import decode_text

_HINT = "The manual's page 'Plan file' lists every key, its type and its range."
_CONSENT_KEYS = ("clients.insecure",)
_BY_YOU = "Remove the key. Start with domtune run PLAN --insecure, or tick the box without encryption in the window."
_UNKNOWN = re.compile(r"unknown field `(?P<key>[^`]*)`(?: - at `\$\.?(?P<at>[^`]*)`)?")
_WRONG = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `(?P<got>[^`]*)` - at `\$\.?(?P<at>[^`]*)`")
_NAMES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "array": "a list",
    "object": "a table",
    "bool": "a boolean",
}
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def build_plan_error(message: str, raw: dict[str, Any]) -> SpecError:
    """Return the error for a plan that has the wrong keys or types.

    Args:
        message: What msgspec said.
        raw: The plan as TOML has it.
    """
    if match := _UNKNOWN.search(message):
        place = f"{match['at']}." if match["at"] else ""
        if place + match["key"] in _CONSENT_KEYS:
            return SpecError(place + match["key"], "a plan cannot allow this: plans are passed around", hint=_BY_YOU)
        return SpecError(f"{place}{match['key']}", "is not a key of a plan file", hint=_HINT)
    if match := _WRONG.search(message):
        value = _value_at(raw, match["at"])
        return SpecError(
            match["at"], f"{value!r} is {_name_types(match['got'])}, not {_name_types(match['wanted'])}", hint=_HINT
        )
    return SpecError("plan", message.replace("`$.", "`"), hint=_HINT)


def _name_types(kinds: str) -> str:
    """Return msgspec's names of types (`int | null`) in words."""
    known = [kind for kind in kinds.split(" | ") if kind != "null"]
    return " or ".join(_NAMES.get(kind, kind) for kind in known)


def _value_at(raw: Any, path: str) -> Any:  # noqa: ANN401 - whatever TOML holds
    for key, index in _STEP.findall(path):
        try:
            raw = raw[key] if key else raw[int(index)]
        except (KeyError, IndexError, TypeError):
            return "..."
    return raw


_OVERRIDES = ("repeats", "measure_s", "settle_s", "load_settle_s", "limit_min", "restart_settle_s", "refine")
_ADAPTIVE_KEYS = ("limit_min", "restart_settle_s", "refine")
_MAX_BYTES = 1 << 16  # a plan is a page of text; more is the wrong file


class _Domains(msgspec.Struct, forbid_unknown_fields=True):
    io: str = ""
    guest: str = ""
    guest_2: str = ""


class _Objective(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str = WEIGHTED
    load: str = ""
    limit_frac: float = 0.0
    weights: dict[str, float] = {}
    indifference_frac: float = INDIFFERENCE_FRAC
    purpose: SweepPurpose = SweepPurpose.IMPROVE
    worth_frac: float | None = None


class _Clients(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    scheduler: str = ""
    workers: list[str] = []
    on_loss: str = WAIT
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""


class PlanFile(msgspec.Struct, forbid_unknown_fields=True):
    """The plan file as it stands on disk; `resources/schema/plan-1.json` is made from this.

    Attributes:
        name: What the user calls the sweep.
        host: URL of the host.
        study: `split` (which split is best?), `capacity` (how many users can it carry?), `overhead` (what does
            virtualisation cost?), `scale-up` (do more CPUs help?), `isolation` (do two guests disturb each other?), or
            `calibration` (do splits take effect here?).
        mode: `caps` or `weights`.
        modes: Those that an isolation study compares; both when absent.
        splits: Splits `a:b`, I/O domain first; of a capacity study those that it is measured at, the host as found when
            absent; of an isolation study `a:b:c`, the second guest last.
        vcpus: Numbers of the guest's vCPUs that a scale-up study compares; 1, 2, 4 and 8, as far as the host has them,
            when absent.
        neighbour_users: Users of the second guest in an isolation study; as many as its load has when absent.
        neighbour_database: URL of the second guest's database there, where that is one of your own, as on a Xen host.
        demand_users: How many users a capacity study's host has to carry, for its advice.
        base: URL of the database that an overhead study compares with; the host's own when absent, reached directly.
            Of a scale-up study `direct`: each number is measured without the I/O domain between, too.
        protocol: `adaptive`, `quick`, `strict`, `grid`, `replicate` or `calibrate`; `paired` of overhead, `blocks`
            of scale-up and isolation. The study's own where absent.
        repeats: Overrides the protocol's trials per split and load; a limit where the protocol adapts.
        measure_s: Overrides its measured window, whole seconds.
        settle_s: Overrides its cut after a change of the split, whole seconds.
        load_settle_s: Overrides its cut after a change of the load, whole seconds.
        limit_min: Overrides the minutes after which one that adapts ends, decided or not; 0 for never.
        restart_settle_s: Has one that adapts start the database anew before each block, and cut so many seconds.
        refine: Has one that adapts go on with splits between the measured ones that promise more.
        baseline: Measures the original settings in every block of a split study; without them no gain is known.
        history: Has one that adapts begin with the last run of the same host, mode, loads and database.
        period_ms: Period of the quotas, 1..1000, at most three decimals.
        seed: Seed of the order of the trials.
        domains: Names of the two domains where the host has no obvious pair; of an isolation study of the three.
        load: The loads; of a capacity study `users` is the most of them; of an isolation study the first guest's, then
            the second's where that is another.
        mix: Which of them run together, beside each by itself.
        objective: What "best" means.
        clients: Which computers make the load; this one when absent.
        server: What the server is started with that DomTune brings, for example `io_method`; its own defaults when
            absent, of an overhead study `io_method = "sync"`.
    """

    host: str
    name: str = ""
    study: str = SPLIT
    mode: str = "caps"
    splits: list[str] | None = None
    vcpus: list[int] | None = None
    modes: list[str] | None = None
    neighbour_users: int = 0
    neighbour_database: str = ""
    demand_users: int = 0
    base: str = ""
    protocol: str | None = None
    repeats: int | None = None
    measure_s: int | None = None
    settle_s: int | None = None
    load_settle_s: int | None = None
    limit_min: int | None = None
    restart_settle_s: int | None = None
    refine: bool | None = None
    baseline: bool = True
    history: bool = True
    period_ms: float = 20.0
    seed: int = 1
    domains: _Domains = msgspec.field(default_factory=_Domains)
    load: list[LoadTable] | None = None
    mix: list[MixTable] = []
    objective: _Objective = msgspec.field(default_factory=_Objective)
    clients: _Clients = msgspec.field(default_factory=_Clients)
    server: dict[str, str] = {}


def read_plan(path: Path) -> RunSpec:
    """Read a plan file; raises SpecError that names the field, the value and what is allowed."""
    try:
        with os.fdopen(open_regular(path, follow=True), "rb") as file:
            return parse_plan(read_plan_text(file, str(path)), str(path))
    except UnfitFile as error:
        hint = "Give the path of a plan file, or - for standard input."
        raise SpecError(str(path), f"cannot be read: {error.strerror}", hint=hint) from error
    except OSError as error:
        raise SpecError(str(path), f"cannot be read: {error}", hint="Give the path of a plan file.") from error


def read_plan_text(file: BinaryIO, source: str) -> str:
    """Read a plan's text from an open file; raises SpecError when it is too long or not UTF-8; OSError."""
    body = file.read(_MAX_BYTES + 1)
    if len(body) > _MAX_BYTES:
        raise SpecError(source, f"larger than {_MAX_BYTES} bytes", hint="Is this a plan file?")
    return decode_text(body, source)


def parse_plan(text: str, source: str = "plan") -> RunSpec:
    """Read a plan's text; raises SpecError."""
    raw = read_toml(text, source)
    try:
        plan = msgspec.convert(gather_parameters(raw), PlanFile)
    except msgspec.ValidationError as error:
        raise build_plan_error(str(error), raw) from error
    return build_spec(plan)


def build_spec(plan: PlanFile) -> RunSpec:
    """Check every value and build the sweep; raises SpecError."""
    plan = _resolve_calibration(plan)
    question = _read_study(plan)
    study = question.kind
    named = [LoadTable(kind) for kind in study.loads or list_standard_kinds()] if plan.load is None else plan.load
    loads = build_loads(named, plan.mix, study)
    return RunSpec(
        name=plan.name,
        host_url=plan.host,
        mode=parse_mode(plan.mode),
        settings=build_settings(study, plan.splits, loads, plan.vcpus, plan.modes, plan.base),
        loads=loads,
        protocol=_choose_protocol(plan, study),
        baseline=_check_baseline(plan, study),
        history=plan.history,
        objective=_build_objective(plan.objective),
        weights=plan.objective.weights,
        period_us=_period_us(plan.period_ms),
        io_domain=plan.domains.io,
        guest_domain=plan.domains.guest,
        seed=plan.seed,
        clients=_build_clients(plan.clients),
        study=question,
        server=resolve_server_settings(plan.server, study_server_settings(question, plan.host, loads), loads),
    )


_STUDY_KEYS = ("demand_users", "base", "neighbour_users", "neighbour_database")


def _read_study(plan: PlanFile) -> Study:
    given = {key: getattr(plan, key) for key in _STUDY_KEYS}
    return build_study(plan.study, {**given, "guest_2_domain": plan.domains.guest_2})


def _resolve_calibration(plan: PlanFile) -> PlanFile:
    """Return a calibration as what it is: two splits, measured by a protocol of that name. Raises SpecError."""
    if plan.study != CALIBRATION:
        return plan
    if plan.protocol not in {None, CALIBRATE}:
        hint = "Leave the protocol out."
        raise SpecError("protocol", f"{plan.protocol!r} does not suit the study {CALIBRATION!r}", hint=hint)
    return msgspec.structs.replace(plan, study=SPLIT, protocol=CALIBRATE)


def write_plan(spec: RunSpec) -> str:
    """Return the plan file that `read_plan` turns into the same sweep."""
    protocol = spec.protocol
    standard = PROTOCOLS.get(protocol.name)
    own = msgspec.structs.asdict(spec.study)
    plan = PlanFile(
        name=spec.name,
        host=spec.host_url,
        study=spec.kind.name,
        mode=spec.mode.value,
        splits=list_splits(spec),
        vcpus=list_vcpus(spec),
        modes=list_modes(spec),
        protocol=protocol.name,
        baseline=spec.baseline,
        history=spec.history,
        period_ms=spec.period_us / 1000,
        seed=spec.seed,
        domains=_Domains(spec.io_domain, spec.guest_domain, own.pop("guest_2_domain", "")),
        load=build_load_tables(spec),
        mix=build_mix_tables(spec),
        objective=_Objective(weights=dict(spec.weights), **msgspec.structs.asdict(spec.objective)),
        clients=_build_clients_table(spec.clients),
        server=settings_to_write(spec.server, study_server_settings(spec.study, spec.host_url, spec.loads), spec.loads),
        **own,
    )
    for name in _OVERRIDES:
        if standard is None or getattr(protocol, name) != getattr(standard, name):
            setattr(plan, name, getattr(protocol, name))
    raw = {key: value for key, value in msgspec.to_builtins(plan).items() if value is not None}
    if spec.kind.name == SPLIT:  # as plans were before there were others
        del raw["study"]
    for name, usual in {"demand_users": 0, "neighbour_users": 0, "baseline": True, "history": True}.items():
        if raw[name] == usual:
            del raw[name]
    told: dict[str, Any] = order_keys({**raw, "load": spread_parameters(raw["load"])})
    if plan.splits == []:  # nothing at all would mean the study's own
        told = {"splits": [], **told}
    return write_toml(told)


def _build_objective(typed: _Objective) -> Objective:
    fields = msgspec.structs.asdict(typed)
    del fields["weights"]
    return Objective(**fields)


def _build_clients(typed: _Clients) -> ClientsSpec:
    fields = msgspec.structs.asdict(typed)
    fields["workers"] = tuple(typed.workers)
    return ClientsSpec(**fields)


def _build_clients_table(spec: ClientsSpec) -> _Clients:
    fields = msgspec.structs.asdict(spec)
    fields["workers"] = list(spec.workers)
    return _Clients(**fields)


def _check_baseline(plan: PlanFile, study: StudyKind) -> bool:
    """Return whether the original settings are measured; raises SpecError where the study needs them or has none."""
    if not plan.baseline and not study.recommends_split:
        problem = f"false does not suit the study {study.name!r}"
        raise SpecError("baseline", problem, hint=f"Leave it out, or use the study {SPLIT!r}.")
    return plan.baseline


def _period_us(period_ms: float) -> int:
    if not 1 <= period_ms <= 1000:
        raise SpecError("period_ms", f"{period_ms} is outside 1..1000", hint="20 is a good start.")
    return round(period_ms * 1000)


def _choose_protocol(plan: PlanFile, study: StudyKind) -> SweepProtocol:
    name = plan.protocol or study.protocols[0]
    standard = PROTOCOLS.get(name)
    if standard is None:
        known = ", ".join(PROTOCOLS)
        raise SpecError("protocol", f"{name!r} is not a protocol", hint=f"Known protocols: {known}.")
    for override in _ADAPTIVE_KEYS:
        if getattr(plan, override) is not None and not standard.adapts:
            adapting = ", ".join(name for name, each in PROTOCOLS.items() if each.adapts)
            hint = f"Leave it out, or take one that ends by itself: {adapting}."
            raise SpecError(override, f"{name!r} has a fixed length", hint=hint)
    overrides = {name: value for name in _OVERRIDES if (value := getattr(plan, name)) is not None}
    return msgspec.structs.replace(standard, **overrides)

"""The wizard's form: the user's input, and its conversion to a plan; no Qt here.

Input with mistakes stays unchanged. `to_spec` returns the plan, or the mistakes by field. Fields have the names of the
keys of `texts` (`seed`, `objective.limit_frac`). Further fields are `host`, `study`, `splits`, `splits[2]`, `loads`,
`loads.KIND.users` (and `tuples`, `database`, `weight`), `weights`, `objective`, `clients`, `mixes`, `mixes[0].name`
(and `loads`, `weights.KIND`), and the windows of the protocol. Fields that the study does not use are not read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Self

import msgspec

from app.wizard import input_parsing
from app.wizard.cpu_choice import place_host
from app.wizard.form_fields import (
    chosen_engine,
    list_load_texts,
    list_standard_loads,
    put_load,
    users_text,
    window_texts,
)
from app.wizard.key_texts import list_standard_texts, list_texts, parameter_text, put_clients, put_objective, put_texts
from app.wizard.mix_fields import MixFields
from app.wizard.page_names import PAGE_OF, page_of
from app.wizard.plan_draft import PlanDraft
from app.wizard.split_rows import SplitRow, split_rows
from app.wizard.varied_texts import (
    list_compared_modes,
    put_second_guest,
    put_server,
    put_vcpus,
    read_three_way_splits,
)
from scheduler.errors import SpecError
from scheduler.model.checks import check_unique
from scheduler.model.host_kinds import find_host_kind, is_simulated, is_this_computer
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS, list_standard_kinds
from scheduler.model.objective import WEIGHTED
from scheduler.model.placement import preset_dedicated_splits
from scheduler.model.plan_file import parse_plan
from scheduler.model.problems import Problems
from scheduler.model.protocols import PROTOCOLS, WINDOWS, SweepProtocol
from scheduler.model.spec import PAPER_SPLITS, Mode, RunSpec
from scheduler.model.studies import SPLIT, STUDIES, find_study
from scheduler.model.study_kind import StudyKind
from scheduler.shares.model_lookup import find_share_model
from scheduler.shares.share_model import HostMachine, ShareModel
from scheduler.translation import _

_OF_STUDY = ("on", "users")  # texts of a load that depend on the study


def _list_study_texts(study: str) -> dict[str, str]:
    """Return the default texts of a study, limited to texts that depend on the study.

    Raises:
        SpecError: There is no study of that name.
    """
    kind = find_study(study)
    splits = kind.splits if kind.has_two_way_splits else ()
    on = kind.loads or list_standard_kinds()
    users = users_text(kind)  # without a number the host's CPUs decide
    loads = {name: {"on": parameter_text(name in on), "users": users} for name in LOAD_KINDS}
    return _join_study_texts(splits, kind.protocols[0], loads)


def _join_study_texts(splits: Sequence[str], protocol: str, loads: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    of_loads = {f"{kind}.{name}": load[name] for kind, load in loads.items() for name in _OF_STUDY}
    return {"splits": "\n".join(splits), "protocol": protocol, **of_loads}


_USUAL = PROTOCOLS["adaptive"]


def takes_period(model: ShareModel | None, mode: Mode) -> bool:
    """Return True if a mode needs the period of the caps.

    Args:
        model: Share model of the scheduler; None while unknown, which counts as a scheduler with a period.
        mode: Caps or weights.
    """
    return mode is Mode.CAPS and (model is None or model.takes_period)


_NO_SUCH_MODE = _("this scheduler has no weights"), _("Choose caps, or another host.")

_STANDARD = parse_plan('host = "local:"')  # plan with all defaults


@dataclass
class SweepForm:
    """User input of a sweep.

    Attributes:
        host: URL of the host.
        splits: Splits `a:b` in the order of input; a study of another factor may have none.
        whole_splits: Splits into whole CPUs, for dedicated CPUs; empty where the number of shared CPUs decides.
        loads: Load kind to its texts (`form_fields`), including loads that are off.
        passwords: Load kind to the password of its database; in memory only.
        protocol: Name of the chosen protocol.
        windows: Protocol to its windows, including protocols that are not chosen.
        refine: True to add splits between measured splits, for adaptive protocols.
        texts: Plan key to its text (`key_texts`), for keys without an attribute of their own.
        scheduler: Name of the host's share model; empty while unknown.
        machine: Properties of the host that translation needs, except its scheduler's name.
        facts: Properties of the host; None while unknown.
        study: Name of the study, one of `STUDIES`; changed by `ask`.
        mixes: Loads that run together.
        aside: Study to its stored texts, for studies that are not chosen.
    """

    host: str = _STANDARD.host_url
    splits: list[str] = field(default_factory=lambda: list(PAPER_SPLITS))
    whole_splits: list[str] = field(default_factory=list[str])
    loads: dict[str, dict[str, str]] = field(default_factory=list_standard_loads)
    passwords: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    protocol: str = _STANDARD.protocol.name
    windows: dict[str, dict[str, str]] = field(
        default_factory=lambda: {name: window_texts(protocol) for name, protocol in PROTOCOLS.items()}
    )
    refine: bool = _STANDARD.protocol.refine
    texts: dict[str, str] = field(default_factory=partial(list_standard_texts, _STANDARD))
    mixes: MixFields = field(default_factory=MixFields)
    scheduler: str = ""
    machine: HostMachine = field(default_factory=HostMachine)
    facts: HostProperties | None = None
    study: str = SPLIT
    aside: dict[str, dict[str, str]] = field(default_factory=dict)

    def ask(self, study: str) -> None:
        """Choose another study; store the input of the current study for a return."""
        if study == self.study:
            return
        before = _join_study_texts(self.splits, self.protocol, self.loads)
        if before != _list_study_texts(self.study):
            self.aside[self.study] = before
        self.study = study
        asked = _list_study_texts(study) | self.aside.pop(study, {})
        self.splits, self.protocol = asked["splits"].split("\n") if asked["splits"] else [], asked["protocol"]
        for kind, load in self.loads.items():
            load.update({name: asked[f"{kind}.{name}"] for name in _OF_STUDY})

    @property
    def kind(self) -> StudyKind:
        """The study's record."""
        return STUDIES[self.study]

    @property
    def weighs_splits(self) -> bool:
        """True when the study recommends a split, and therefore has an objective."""
        return self.kind.recommends_split

    @property
    def weighs_loads(self) -> bool:
        """True when the objective uses the weights of the loads."""
        return self.weighs_splits and self.texts["objective.name"] == WEIGHTED

    @property
    def can_refine(self) -> bool:
        """True when an adaptive sweep can add splits between the plan's splits."""
        return self.weighs_loads and self.kind.mode is None

    @classmethod
    def from_spec(cls, spec: RunSpec) -> Self:
        """Return the form of a plan; `to_spec` returns the same plan."""
        splits = [split.label for split in spec.splits if spec.kind.has_two_way_splits]
        whole = spec.mode is Mode.DEDICATED and spec.kind.has_two_way_splits
        form = cls(
            host=spec.host_url,
            splits=list(PAPER_SPLITS) if whole else splits,
            whole_splits=splits if whole and "splits" not in spec.by_host else [],
            protocol=spec.protocol.name,
            refine=spec.protocol.refine,
            texts=list_standard_texts(_STANDARD) | list_texts(spec),
            study=spec.kind.name,
            loads=list_standard_loads(users_text(spec.kind)),
        )
        form.windows[spec.protocol.name] = window_texts(spec.protocol)
        by_host = "users" in spec.by_host
        given = {load.kind: list_load_texts(load, spec.weights, by_host=by_host) for load in spec.loads}
        form.mixes = MixFields.of(spec)
        form.loads = given | {kind: load | {"on": "no"} for kind, load in form.loads.items() if kind not in given}
        if spec.kind.mode and "users" in spec.by_host:
            form.loads = {kind: load | {"users": ""} for kind, load in form.loads.items()}
        return form

    def to_spec(self) -> RunSpec | dict[str, str]:
        """Return the plan, or the mistakes by field."""
        draft = PlanDraft()
        if not draft.put(("host",), "host", lambda: input_parsing.parse_host_url(self.host)):
            draft.values["host"] = "-"
        domains = {name: self.texts[f"domains.{name}"].strip() for name in ("io", "guest")}
        name = self.texts["name"].strip()
        draft.values |= {"name": name, "study": self.study, "domains": domains, "protocol": self.protocol}
        self._put_settings(draft)
        self._put_windows(draft, self.protocol)
        if self.weighs_splits:
            put_objective(draft, self.texts)
        self._put_loads(draft)
        put_texts(draft, self.texts, "seed", "cpus.set", "cpus.count", "cpus.others")
        if not self.simulated:  # a simulated host has simulated clients
            put_clients(draft, self.texts)
        spec = draft.read()
        if spec is not None and self.facts is not None:
            draft.problems.take(partial(spec.choose_shared_set, self.facts), None)
            spec = None if draft.problems else spec
        return draft.problems.messages if spec is None else spec

    def read_protocol(self, name: str) -> SweepProtocol | None:
        """Return a protocol with its typed windows; None for a mistake.

        Args:
            name: Name of the protocol.
        """
        draft = PlanDraft()
        self._put_windows(draft, name)
        try:
            return None if draft.problems else msgspec.structs.replace(PROTOCOLS[name], **draft.values)
        except SpecError:
            return None

    def messages(self, page: str = "review") -> dict[str, str]:
        """Return the mistakes of a page by field; empty for none.

        Args:
            page: Name of the page; `review` for all pages.
        """
        spec = self.to_spec()
        wrong = {} if isinstance(spec, RunSpec) else spec
        return {name: text for name, text in wrong.items() if page in ("review", page_of(name))}

    def corrected(self, messages: Mapping[str, str]) -> "SweepForm":
        """Return the form with the defaults on every page with a mistake.

        Args:
            messages: Field to its mistake.
        """
        wrong = {page_of(name) for name in messages if name != "study"}
        standard = SweepForm()
        standard.ask(self.study)
        names = {part.name for part in fields(self) if PAGE_OF.get(part.name) in wrong}
        hidden = set[str]()
        if "study" in messages or (self.kind.has_two_guests and "loads" in wrong):
            names.add("facts")  # an unknown host supports every study, and needs no database of the second guest
            hidden = {"second_database", "domains.guest_2"}
        kept = {path: text for path, text in self.texts.items() if page_of(path) not in wrong and path not in hidden}
        given = {name: getattr(standard, name) for name in names}
        return replace(self, **given, texts=standard.texts | kept)

    def secrets(self) -> dict[str, str]:
        """Return database URL to password, for the loads that are on."""
        if self.simulated:
            return {}
        own = {kind: load["database"].strip() for kind, load in self.loads_on.items() if load["own"] == "yes"}
        return {url: self.passwords[kind] for kind, url in own.items() if self.passwords.get(kind)}

    @property
    def loads_on(self) -> dict[str, dict[str, str]]:
        """Load kind to its texts, for the loads that are on."""
        return {kind: load for kind, load in self.loads.items() if load["on"] == "yes"}

    @property
    def brings_domains(self) -> bool:
        """True when the host has exactly one pair of domains and no name is typed.

        The wizard then skips the page of the domains.
        """
        kind = find_host_kind(self.host)
        return (
            kind is not None
            and kind.has_one_pair
            and not (self.texts["domains.io"].strip() or self.texts["domains.guest"].strip())
        )

    @property
    def takes_period(self) -> bool:
        """True when the form needs the period of the caps."""
        return self._asks_period(*self._read_dialect(Problems())[:2])

    def _asks_period(self, model: ShareModel | None, mode: Mode) -> bool:
        if self.kind.has_two_way_splits:
            return takes_period(model, mode)
        takes = model is None or model.takes_period
        return self.kind.has_two_guests and takes and "caps" in list_compared_modes(self.texts)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """Modes of the host's scheduler; all modes while the host is unknown."""
        model = self._read_dialect(Problems())[0]
        return tuple(Mode) if model is None else model.modes

    @property
    def placed(self) -> HostProperties | None:
        """The host with the shared CPUs of the plan; None while unknown."""
        if self.facts is None:
            return None
        return place_host(self.facts, self.texts, self.dividing_modes)

    @property
    def dividing_modes(self) -> tuple[Mode, ...]:
        """Modes in which the plan divides the CPUs; empty where it limits no domain."""
        if self.kind.varies_vcpus:
            return ()
        if self.kind.has_two_guests:
            return tuple(mode for mode in Mode if mode in list_compared_modes(self.texts))
        return (self.mode,) if self.divides else ()

    @property
    def mode(self) -> Mode:
        """The chosen mode, which divides the CPUs between two domains."""
        return Mode.CAPS if self.kind.has_two_guests else Mode(self.texts["mode"])

    @property
    def divides(self) -> bool:
        """True when the plan has splits; without splits the mode has no effect."""
        return self._leaves_splits_to_host or bool(self.current_splits)

    @property
    def current_splits(self) -> list[str]:
        """Splits of the chosen mode; presets where the host decides the splits."""
        if self.mode is not Mode.DEDICATED:
            return self.splits
        if self._leaves_splits_to_host:
            return list(preset_dedicated_splits(self.machine.cpus)) if self.machine.cpus > 1 else []
        return self.whole_splits

    @property
    def _leaves_splits_to_host(self) -> bool:
        return self.mode is Mode.DEDICATED and self.kind.recommends_split and not self.whole_splits

    @property
    def simulated(self) -> bool:
        """True for a simulated host, which has no choice of databases or clients."""
        return is_simulated(self.host)

    def split_rows(self) -> list[SplitRow]:
        """Return meaning and parameters of each split."""
        return split_rows(self.current_splits, *self._read_dialect(Problems()))

    def _put_windows(self, draft: PlanDraft, name: str) -> None:
        protocol = PROTOCOLS.get(name, _USUAL)
        for key in WINDOWS:
            if protocol.adapts or not key.applies:
                read = partial(input_parsing.parse_whole, self.windows[name][key.name], key.name)
                draft.put((key.name,), key.name, read)
        if protocol.adapts:
            draft.values["refine"] = self.refine and self.can_refine

    def _put_settings(self, draft: PlanDraft) -> None:
        """Put the settings to measure: splits, vCPUs, or splits of three domains."""
        model, mode, period_us = self._read_dialect(draft.problems)
        draft.values["period_ms"] = period_us / 1000
        facts = self._able_host(draft.problems)
        if self.kind.has_two_guests:
            scheduler = facts.scheduler if facts else ""
            read = partial(read_three_way_splits, self.texts, scheduler, self.machine, period_us)
            draft.put(("splits",), "threes", read)
            draft.values["modes"] = list_compared_modes(self.texts)
            draft.show_at(("modes",), "threes")
            return
        if self.kind.mode is not None:
            put_texts(draft, self.texts, *(key.name for key in self.kind.keys))
            return
        draft.values["mode"] = mode.value
        if self.kind.varies_vcpus:
            put_vcpus(draft, self.texts, facts)
            return
        self._put_splits(draft, model, mode, period_us)
        put_texts(draft, self.texts, *(key.name for key in self.kind.keys))
        if self.kind.compares_sides and self.texts["base"].strip():
            draft.put(("base",), "base", lambda: input_parsing.parse_database_url(self.texts["base"]))

    def _able_host(self, problems: Problems) -> HostProperties | None:
        """Return the host; None while unknown, or if the host does not support the study.

        The reason is added to the problems.
        """
        why, hint = self.facts.missing_reason(self.kind) if self.facts is not None else ("", "")
        if why:
            problems.add(SpecError("study", _("not available on this host: {why}").format(why=why), hint=hint))
        return None if why else self.facts

    def _put_splits(self, draft: PlanDraft, model: ShareModel | None, mode: Mode, period_us: int) -> None:
        if model and mode is not Mode.DEDICATED and mode not in model.modes:
            draft.problems.add(SpecError("mode", _NO_SUCH_MODE[0], hint=_NO_SUCH_MODE[1]))
            model = None  # a missing mode must not be reported for each split
        if self._leaves_splits_to_host:
            return
        rows = split_rows(self.current_splits, model, mode, period_us)
        for i, row in enumerate(rows):
            if row.error is not None:
                draft.problems.add(row.error, f"splits[{i}]")
        splits = [row.setting.split.label for row in rows if row.setting]
        if splits or not rows:  # if no split is readable, use the study's own splits
            draft.values["splits"] = list(dict.fromkeys(splits))
        if splits:
            draft.problems.take(lambda: check_unique("splits", splits), None)

    def _read_dialect(self, problems: Problems) -> tuple[ShareModel | None, Mode, int]:
        find = partial(find_share_model, self.scheduler, self.machine)
        model = problems.take(find, None, "host") if self.scheduler else None
        mode = self.mode
        # A mistake in a hidden period field must not be reported.
        asked = problems if self._asks_period(model, mode) else Problems()
        period_us = asked.take(
            lambda: input_parsing.parse_period_us(self.texts["period_ms"]), _STANDARD.period_us, "period_ms"
        )
        return model, mode, period_us

    def _put_loads(self, draft: PlanDraft) -> None:
        on = self.loads_on
        if self.simulated:  # text of hidden fields must not be read
            on = {kind: load | {"own": "no", "brought": ""} for kind, load in on.items()}
        if self.kind.has_two_guests:
            on = dict(sorted(on.items(), key=lambda item: item[0] == self.texts["second"]))
        draft.values["load"] = [{"kind": kind} for kind in on]
        draft.show_at(("load", "users"), f"loads.{next(iter(on), '')}.users")
        for i, (kind, load) in enumerate(on.items()):
            put_load(draft, i, kind, load)
        if is_this_computer(self.host) and not any(load["own"] == "yes" for load in on.values()):
            put_server(draft, self.texts, [chosen_engine(load) or LoadSpec(kind).engine for kind, load in on.items()])
        if self.kind.has_two_guests:
            put_second_guest(draft, self.texts, self.facts, next(reversed(on), ""))
        if self.weighs_splits:
            sound = self.mixes.put_into(draft, list(on), simulated=self.simulated)
            if self.weighs_loads:
                self.mixes.put_weights(draft, on, sound)

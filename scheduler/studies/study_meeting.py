"""Preparation of a host for a study: refusals, warnings and `meeting` modules.

A package of a study may have a module `meeting`.
"""

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, Protocol, cast

import msgspec

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LEAST_USERS_PER_CPU, LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.number_texts import format_percent
from scheduler.model.sentence_texts import load_title
from scheduler.model.setting import mode_of, split_of
from scheduler.model.shared_set import place_domains
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.studies import Setting
from scheduler.model.study_concerns import select_findings
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.translation import _

_MENTIONED_ERROR_FRAC = 0.005  # smaller rounding errors are not worth a warning
_NO_RESTART = _("DomTune cannot restart the database of this sweep")
_OWN_DATABASE_HINT = _("Remove the key, or use the built-in database of local:.")


class Meeting(NamedTuple):
    """Plan and host that fit each other, before anything is written to the host.

    Attributes:
        spec: The plan, with the settings that the host has.
        facts: Host properties as the study uses them, with the findings that concern the study.
        warnings: Sentences for users about limits of the answer.
        split_warnings: Sentences about splits that the host's scheduler sets with an error, or unwisely.
    """

    spec: RunSpec
    facts: HostProperties
    warnings: tuple[str, ...] = ()
    split_warnings: tuple[str, ...] = ()


class MeetingModule(Protocol):
    """Module `meeting` of a study's package."""

    def meet(self, spec: RunSpec, host: Host, facts: HostProperties, dropped: Sequence[Setting]) -> Meeting:
        """Prepare the host; write nothing to it.

        Args:
            spec: The plan, fitted to the host.
            host: The host.
            facts: Its properties at the start.
            dropped: Settings of the plan that the host does not have.

        Raises:
            SpecError: The study cannot be carried out on this host as planned.
            HostError: The host does not answer.
        """
        ...


def meet_host(asked: RunSpec, host: Host, facts: HostProperties) -> Meeting:
    """Fit a plan to its host and prepare the host; write nothing to it.

    Args:
        asked: The plan as written.
        host: The host.
        facts: Its properties at the start.

    Raises:
        SpecError: The study cannot be carried out on this host as planned, or a setting cannot be set.
        HostError: The host does not answer.
    """
    met = _meet_study(asked, host, facts)
    spec, facts = met.spec, met.facts
    if spec.protocol.restart_settle_s and not facts.restarts_database:
        raise SpecError("restart_settle_s", _NO_RESTART, hint=_OWN_DATABASE_HINT)
    refuse_cold(spec, facts)
    return met._replace(
        split_warnings=check_splits(spec, facts),
        facts=msgspec.structs.replace(facts, findings=select_findings(spec, facts.findings)),
    )


def _meet_study(asked: RunSpec, host: Host, facts: HostProperties) -> Meeting:
    shared = asked.choose_shared_set(facts)
    facts = place_domains(facts, shared)
    spec, name = asked.fit_to_host(facts), f"{asked.kind.module}.meeting"
    spec, low = drop_low_presets(spec, facts)
    spec, equal = drop_equal_splits(spec, facts)
    remarks = (*shared.remarks, *low, *equal, *warn_of_few_users(spec, facts))
    if find_spec(name) is None:
        return Meeting(spec, facts, remarks)
    dropped = tuple(setting for setting in asked.settings if setting not in spec.settings)
    found = cast("MeetingModule", import_module(name)).meet(spec, host, facts, dropped)
    return found._replace(warnings=(*remarks, *found.warnings))


def drop_low_presets(spec: RunSpec, facts: HostProperties) -> tuple[RunSpec, tuple[str, ...]]:
    """Return a plan without presets that its host cannot be set to, and sentences.

    On several CPUs, an I/O domain with many vCPUs cannot have the smallest presets. Splits that a person chose are
    refused instead.

    Args:
        spec: The plan, fitted to the host.
        facts: Properties of the host.
    """
    if len(facts.shared_cpus) < 2 or {split.label for split in spec.splits} != set(spec.kind.splits):
        return spec, ()
    model, remarks, settings = share_model_for_host(facts), list[str](), list[Setting]()
    for setting in spec.settings:
        try:
            if (split := split_of(setting)) is not None:
                model.encode(split, mode_of(setting, spec.mode), spec.period_us)
            settings.append(setting)
        except SpecError as error:
            remarks.append(_("a preset split is excluded on this host: {problem}").format(problem=error.problem))
    return (msgspec.structs.replace(spec, settings=tuple(settings)), tuple(remarks)) if settings else (spec, ())


def drop_equal_splits(spec: RunSpec, facts: HostProperties) -> tuple[RunSpec, tuple[str, ...]]:
    """Return a plan that measures splits of one effect once, and its sentences.

    A sentence names each excluded split. On several CPUs, splits can have the same effect: where a domain has
    fewer vCPUs than CPUs, and where whole CPUs are written in different ways (1:1 and 2:2).

    Args:
        spec: The plan, fitted to the host.
        facts: Properties of the host.

    Raises:
        SpecError: A split cannot be set on this host.
    """
    if len(facts.shared_cpus) < 2 or not spec.kind.recommends_split:
        return spec, ()
    model, first, remarks = share_model_for_host(facts), dict[str, str](), list[str]()
    settings = list[Setting]()
    for setting in spec.settings:
        split, mode = split_of(setting), mode_of(setting, spec.mode)
        if split is not None:
            encoding = model.encode(split, mode, spec.period_us)
            achieved = encoding.achieved if mode is Mode.DEDICATED else encoding.params
            known = first.setdefault(repr(achieved), split.label)
            if known != split.label:
                remarks.append(
                    _("{label} is excluded: on this host it has the same effect as {known}").format(
                        label=split.label, known=known
                    )
                )
                continue
        settings.append(setting)
    return msgspec.structs.replace(spec, settings=tuple(settings)), tuple(remarks)


def warn_of_few_users(spec: RunSpec, facts: HostProperties) -> tuple[str, ...]:
    """Return a sentence for each load whose users cannot fill the shared CPUs.

    Args:
        spec: The plan, fitted to the host.
        facts: Properties of the host.
    """
    cpus = len(facts.shared_cpus)
    if cpus < 2 or not spec.kind.recommends_split:
        return ()
    users = Counter[str]()
    for load in spec.loads:
        users[load.mix or load_title(load.name)] += load.users
    least = LEAST_USERS_PER_CPU * cpus
    return tuple(
        _(
            "{found} users ({name}) cannot fill {cpus} CPUs, so many splits may be alike: take {least} users or more"
        ).format(found=found, name=name, cpus=cpus, least=least)
        for name, found in users.items()
        if found < least
    )


def check_splits(spec: RunSpec, facts: HostProperties) -> tuple[str, ...]:
    """Encode every split once and return warnings.

    Args:
        spec: The plan.
        facts: Properties of the host.

    Raises:
        SpecError: A split cannot be set.
    """
    model = share_model_for_host(facts)
    warnings: list[str] = []
    for split, mode in spec.split_modes:
        encoding = model.encode(split, mode, spec.period_us)
        if encoding.rounding_error_frac >= _MENTIONED_ERROR_FRAC:
            error = format_percent(encoding.rounding_error_frac)
            warnings.append(
                _("{label} {mode} is {error} off by rounding").format(label=split.label, mode=mode, error=error)
            )
        warnings += encoding.warnings
    return tuple(dict.fromkeys(warnings))


def refuse_cold(spec: RunSpec, facts: HostProperties) -> None:
    """Refuse cold loads that the plan or the host does not support.

    Args:
        spec: The plan.
        facts: Properties of the host.

    Raises:
        SpecError: Restarts would interrupt other users, or the host cannot restart the database.
    """
    for load in spec.loads:
        if load.is_cold:
            _refuse_other_work(spec, load)
            _refuse_host(load, facts)


def _refuse_other_work(spec: RunSpec, load: LoadSpec) -> None:
    """Refuse users and loads whose work a restart would interrupt."""
    field = f"load.{LOAD_KINDS[load.kind].cold}"
    why = _("the database is restarted before each operation, which would interrupt other users")
    if load.users > 1 or spec.kind.varies_users:
        hint = _("Take users = 1, or leave it out.")
        raise SpecError(
            field, _("{why}, and {kind} has {users} users").format(why=why, kind=load.kind, users=load.users), hint=hint
        )
    if load.mix:
        raise SpecError(
            field,
            _("{why}, and {mix} has several loads").format(why=why, mix=load.mix),
            hint=_("Let it run alone, or leave it out."),
        )
    if load.probe:
        raise SpecError(field, _("{why}, and it has an extra reader").format(why=why), hint=_("Leave one of them out."))
    if spec.kind.has_two_guests:
        raise SpecError(field, _("the study of two guests has both of them run on"), hint=_("Leave it out."))


def _refuse_host(load: LoadSpec, facts: HostProperties) -> None:
    field = f"load.{LOAD_KINDS[load.kind].cold}"
    if facts.simulated:
        raise SpecError(
            field, _("a simulated machine has no memory to forget"), hint=_("Leave it out, or take 'local:'.")
        )
    if not facts.restarts_database:
        raise SpecError(field, _NO_RESTART, hint=_OWN_DATABASE_HINT)

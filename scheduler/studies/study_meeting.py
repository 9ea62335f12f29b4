"""Preparation of a host for a study: refusals, warnings and `meeting` modules.

A package of a study may have a module `meeting`.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, Protocol, cast

import msgspec

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.number_texts import format_percent
from scheduler.model.spec import RunSpec
from scheduler.model.studies import Setting
from scheduler.model.study_concerns import select_findings
from scheduler.shares.model_lookup import share_model_for_host

_MENTIONED_ERROR_FRAC = 0.005  # smaller rounding errors are not worth a warning
_NO_RESTART = "DomTune cannot start this sweep's database anew"
_OWN_DATABASE_HINT = "Leave it out, or sweep the database that DomTune brings to this computer."


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
    spec, name = asked.fit_to_host(facts), f"{asked.kind.module}.meeting"
    if find_spec(name) is None:
        return Meeting(spec, facts)
    dropped = tuple(setting for setting in asked.settings if setting not in spec.settings)
    return cast("MeetingModule", import_module(name)).meet(spec, host, facts, dropped)


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
            warnings.append(f"{split.label} {mode} is {error} off by rounding")
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
    why = "the database is started anew before each operation, which would end what others are doing"
    if load.users > 1 or spec.kind.varies_users:
        hint = "Take users = 1, or leave it out."
        raise SpecError(field, f"{why}, and {load.kind} has {load.users} users", hint=hint)
    if load.mix:
        raise SpecError(field, f"{why}, and {load.mix} has several loads", hint="Let it run alone, or leave it out.")
    if load.probe:
        raise SpecError(field, f"{why}, and it has an extra reader", hint="Leave one of them out.")
    if spec.kind.has_two_guests:
        raise SpecError(field, "the study of two guests has both of them run on", hint="Leave it out.")


def _refuse_host(load: LoadSpec, facts: HostProperties) -> None:
    field = f"load.{LOAD_KINDS[load.kind].cold}"
    if facts.simulated:
        raise SpecError(field, "a simulated machine has no memory to forget", hint="Leave it out, or take 'local:'.")
    if not facts.restarts_database:
        raise SpecError(field, _NO_RESTART, hint=_OWN_DATABASE_HINT)

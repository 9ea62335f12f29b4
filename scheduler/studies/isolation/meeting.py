"""Preparation of a host for an isolation study: add the second guest."""

from collections.abc import Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.model.databases import DATABASES
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.setting import mode_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST_2
from scheduler.model.studies import Setting
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.studies.isolation.declaration import IsolationStudy
from scheduler.studies.study_meeting import Meeting
from scheduler.translation import _


def meet(spec: RunSpec, host: Host, facts: HostProperties, dropped: Sequence[Setting]) -> Meeting:
    """Add the second guest to the host, or create it.

    Args:
        spec: The plan.
        host: The host.
        facts: Its properties at the start.
        dropped: Ignored; the host has all settings.

    Raises:
        SpecError: The plan does not fit the second guest of the host.
        HostError: The host has no such domain.
    """
    del dropped
    spec, remarks = _drop_unknown_modes(spec, facts)
    study = spec.study_as(IsolationStudy)
    if facts.second_guest.runs:
        _require_database(spec, study)
    else:
        _refuse_names(study, facts)
    host.add_guest(study.guest_2)
    facts = host.facts()
    return Meeting(spec, facts, (*remarks, *_clients_warning(facts)))


def _drop_unknown_modes(spec: RunSpec, facts: HostProperties) -> tuple[RunSpec, tuple[str, ...]]:
    """Return the plan without modes that the host's scheduler lacks, and sentences.

    A plan with such modes only is returned unchanged, and refused by the share model.
    """
    known = share_model_for_host(facts).modes
    modes = dict.fromkeys(mode_of(setting, spec.mode) for setting in spec.settings)
    if not set(modes) & set(known):
        return spec, ()
    settings = tuple(setting for setting in spec.settings if mode_of(setting, spec.mode) in known)
    remarks = tuple(
        _("{mode} are excluded: {facts} has no {mode}").format(mode=mode, facts=facts.title)
        for mode in modes
        if mode not in known
    )
    return msgspec.structs.replace(spec, settings=settings), remarks


def _refuse_names(study: IsolationStudy, facts: HostProperties) -> None:
    """Refuse a plan that names a second guest where DomTune creates it."""
    for field, given in (("domains.guest_2", study.guest_2), ("second_database", study.second_database)):
        if given:
            problem = _("has no effect on {facts}, where DomTune creates the second guest and its database").format(
                facts=facts.title
            )
            raise SpecError(field, problem, hint=_("Leave it out."))


def _require_database(spec: RunSpec, study: IsolationStudy) -> None:
    """Refuse a plan that does not name the database of an existing second guest."""
    load = spec.guest_loads[GUEST_2]
    if LOAD_KINDS[load.kind].workload and not study.second_database:
        hint = _("Write second_database = '{template}', of the server in the second guest.").format(
            template=DATABASES[load.engine].template
        )
        raise SpecError("second_database", _("the second guest's database is not named"), hint=hint)


def _clients_warning(facts: HostProperties) -> tuple[str, ...]:
    """Return a warning where the users of both guests must share a CPU."""
    elsewhere = facts.second_guest.runs or (facts.simulated and not facts.client_cpus)
    if len(facts.client_cpus) > 1 or elsewhere:  # users elsewhere have their own CPUs
        return ()
    where = f"CPU {facts.client_cpus[0]}" if facts.client_cpus else _("one CPU")
    return (
        _("the users of both guests run on {where}; the figures include the interference there").format(where=where),
    )

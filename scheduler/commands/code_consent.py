"""Consent to run the code that a plan names.

Plans are shared between people. So the code of a plan runs only after a person allowed it.
"""

import os

from scheduler.errors import SpecError
from scheduler.model.clients import refuse_unencrypted
from scheduler.model.consent import Consent
from scheduler.model.host_kinds import find_host_kind
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.spec import RunSpec
from scheduler.translation import _


def _runs_nothing(spec: RunSpec) -> bool:
    """Return True where loads are simulated or fake, under any name."""
    kind = find_host_kind(spec.host_url)
    return kind is not None and (kind.simulated or bool(kind.loads))


def code_sentences(spec: RunSpec) -> tuple[str, ...]:
    """Return a sentence for each command or client of the plan that would run code."""
    if _runs_nothing(spec):
        return ()
    named = ((load, LOAD_KINDS[load.kind].runs) for load in spec.loads)
    lines = [str(load.values[parameter]) for load, parameter in named if parameter]
    clients = (_clients_text(spec),) if spec.clients.remote else ()
    return (
        *(
            _("a command runs on this computer, {rights_words}: {line}").format(rights_words=rights_words(), line=line)
            for line in dict.fromkeys(lines)
        ),
        *clients,
    )


def rights_words() -> str:
    """Return the account that runs commands, as text."""
    return _("as root") if os.geteuid() == 0 else _("with your rights")


def client_rights_words() -> str:
    """Return the account that runs code of a Dask scheduler on this computer, as text."""
    return _("in a process without rights") if os.geteuid() == 0 else _("with your rights")


def require_consent(spec: RunSpec, consent: Consent) -> None:
    """Raise SpecError when a plan runs code without consent; the error shows the code.

    Args:
        spec: The plan.
        consent: Consent of a person.
    """
    if _runs_nothing(spec):
        return
    has_command = any(LOAD_KINDS[load.kind].runs for load in spec.loads)
    if (has_command and not consent.commands) or (spec.clients.remote and not consent.clients):
        raise SpecError(
            "load.command" if has_command else "clients.scheduler",
            _("the plan runs code: {code_sentences}").format(code_sentences="; ".join(code_sentences(spec))),
            hint=_("Read the command. To allow it, add --allow-command."),
        )
    refuse_unencrypted(spec.clients, agreed=consent.unencrypted)


def _clients_text(spec: RunSpec) -> str:
    who = _("the Dask scheduler {scheduler} and its workers").format(scheduler=spec.clients.scheduler)
    return _("{who} can run code on this computer, {client_rights_words}, and get the database's password").format(
        who=who, client_rights_words=client_rights_words()
    )

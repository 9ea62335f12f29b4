"""`domtune check-clients ADDRESS`: check that a Dask cluster can make the load.

The command connects to the cluster and starts nothing.
"""

import argparse

from scheduler.commands.command_output import print_answer
from scheduler.errors import SchedulerError, SpecError
from scheduler.loads.load_registry import open_clients
from scheduler.model.clients import ClientsSpec, refuse_unencrypted
from scheduler.model.command_answers import ClientsCheck
from scheduler.translation import _


def check_clients(arguments: argparse.Namespace) -> int:
    """Print the cluster's suitability and its workers."""
    return print_answer(lambda: _check_cluster(arguments), _answer_lines, _error_answer, as_json=arguments.json)


def _error_answer(error: SchedulerError) -> ClientsCheck:
    return ClientsCheck(fine=False, text=str(error), hint=error.hint)


def _answer_lines(answer: ClientsCheck) -> list[str]:
    return [answer.text, *(f"  {name}: {value}" for name, value in answer.versions.items())]


def _check_cluster(arguments: argparse.Namespace) -> ClientsCheck:
    if not arguments.address.strip():
        raise SpecError("clients.scheduler", _("none given"), hint=_("Write tls://HOST:8786, or tcp://127.0.0.1:8786."))
    spec = ClientsSpec(
        scheduler=arguments.address,
        workers=tuple(arguments.worker),
        ca_file=arguments.ca_file,
        cert_file=arguments.cert_file,
        key_file=arguments.key_file,
    )
    refuse_unencrypted(spec, agreed=arguments.insecure)
    clients = open_clients(spec, ())
    try:
        versions = clients.preflight([])
        text = _("The load can be made by the workers of this Dask cluster: {workers}.")
        return ClientsCheck(fine=True, text=text.format(workers=versions["clients"]), versions=versions)
    finally:
        clients.close()

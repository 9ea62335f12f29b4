"""The computers that make the load, as typed. No Qt here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from app.wizard.input_parsing import FormReader, describe_error
from scheduler.errors import SpecError
from scheduler.model.clients import WAIT, ClientsSpec, is_encrypted, refuse_local_loads, refuse_unencrypted
from scheduler.model.load import LoadSpec

CLIENTS = "clients"
FILES = ("ca_file", "cert_file", "key_file")


@dataclass
class ClientFields:
    """This computer, or a Dask cluster; what was typed of one is kept while this computer is chosen.

    Attributes:
        cluster: False for this computer.
        scheduler: Address of the Dask scheduler.
        workers: Names of its workers, with commas between; empty for all.
        on_loss: What follows the loss of one.
        insecure: True to go without encryption; typed by a person, never read from a plan.
        ca_file: Path, likewise the others.
    """

    cluster: bool = False
    scheduler: str = ""
    workers: str = ""
    on_loss: str = WAIT
    insecure: bool = False
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""

    @classmethod
    def of(cls, spec: ClientsSpec) -> Self:
        """Return the fields of a plan's clients."""
        return cls(
            cluster=spec.remote,
            scheduler=spec.scheduler,
            workers=", ".join(spec.workers),
            on_loss=spec.on_loss,
            ca_file=spec.ca_file,
            cert_file=spec.cert_file,
            key_file=spec.key_file,
        )

    @property
    def encrypted(self) -> bool:
        """True where certificates are asked for."""
        return is_encrypted(self.scheduler.strip())

    @property
    def names(self) -> tuple[str, ...]:
        """The workers that are named."""
        return tuple(name.strip() for name in self.workers.split(",") if name.strip())

    def read(self, reader: FormReader, host_url: str, loads: Sequence[LoadSpec]) -> ClientsSpec:
        """Return the clients; what is wrong goes to `reader` under `clients.FIELD`."""
        if not self.cluster or host_url.startswith("sim:"):  # a simulated host's load is simulated, too
            return ClientsSpec()
        try:
            spec = self._build_spec()
            refuse_unencrypted(spec, agreed=self.insecure)
            refuse_local_loads(spec, host_url, [load.kind for load in loads])
        except SpecError as error:
            reader.messages.setdefault(error.field.partition("[")[0], describe_error(error))
            return ClientsSpec()
        return spec

    def _build_spec(self) -> ClientsSpec:
        if not self.scheduler.strip():
            raise SpecError("clients.scheduler", "none given", hint="Write tls://HOST:8786, or tcp://127.0.0.1:8786.")
        files = {name: getattr(self, name).strip() if self.encrypted else "" for name in FILES}
        return ClientsSpec(self.scheduler.strip(), self.names, self.on_loss, **files)

"""The computers that make the load, as typed. No Qt here."""

from dataclasses import dataclass
from functools import partial
from typing import Self

from app.wizard.plan_draft import PlanDraft, require
from scheduler.model.clients import WAIT, ClientsSpec, is_encrypted, refuse_unencrypted

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

    def put_into(self, draft: PlanDraft, host_url: str) -> None:
        """Put the clients into a draft of a plan; nothing for this computer.

        Args:
            draft: The draft.
            host_url: URL of the host; the load of a simulated host is simulated, too.
        """
        if not self.cluster or host_url.startswith("sim:"):
            return
        draft.values[CLIENTS] = {"workers": [*self.names], "on_loss": self.on_loss}
        for name in ("scheduler", "workers", *FILES):
            draft.show_at((CLIENTS, name), f"{CLIENTS}.{name}")
        address = partial(require, self.scheduler, "scheduler", "Write tls://HOST:8786, or tcp://127.0.0.1:8786.")
        if not draft.put((CLIENTS, "scheduler"), f"{CLIENTS}.scheduler", address):
            del draft.values[CLIENTS]
        elif self.encrypted:
            draft.values[CLIENTS] |= {name: getattr(self, name).strip() for name in FILES}
        else:
            draft.problems.take(self._refuse_unencrypted, None, f"{CLIENTS}.scheduler")

    def _refuse_unencrypted(self) -> None:
        refuse_unencrypted(ClientsSpec(self.scheduler.strip()), agreed=self.insecure)

"""Computers that run the users: this computer, or the workers of a Dask cluster."""

import ipaddress
import re
from collections.abc import Iterable, Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.model.host_kinds import is_simulated
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.translation import _

WAIT, REMAINING, END = "wait", "remaining", "end"
ON_LOSS = (WAIT, REMAINING, END)
"""Reactions to the loss of a worker: wait for its return, continue with the others, end the sweep."""

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*)):([0-9]{1,5})", re.ASCII)
_TEMPLATE = "tls://HOST:8786"
_MOST_CHARS = 256
_MANUAL_PAGE = _("the manual's page 'Load from many machines'.")


class ClientsSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Computers that run the users of DomTune's own loads.

    Attributes:
        scheduler: Address of a Dask scheduler, `tls://HOST:PORT` or `tcp://HOST:PORT`; empty for this computer.
        workers: Names or addresses of the workers that get users, each once; empty for all workers.
        on_loss: One of `ON_LOSS`.
        ca_file: Path of the certificate authority of scheduler and workers; required with tls.
        cert_file: Path of this computer's certificate; required with tls.
        key_file: Path of this computer's key; required with tls.
    """

    scheduler: str = ""
    workers: tuple[str, ...] = ()
    on_loss: str = WAIT
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""

    def __post_init__(self) -> None:
        """Refuse clients that cannot make a load; raise SpecError."""
        if self.on_loss not in ON_LOSS:
            hint = _("Use {on_loss} or {on_loss_2}.").format(on_loss=", ".join(ON_LOSS[:-1]), on_loss_2=ON_LOSS[-1])
            raise SpecError("clients.on_loss", _("{on_loss!r} is none").format(on_loss=self.on_loss), hint=hint)
        if not self.scheduler:
            self._refuse_without_scheduler()
            return
        if _ADDRESS.fullmatch(self.scheduler) is None or not 0 < int(self.scheduler.rpartition(":")[2]) < 65_536:
            raise SpecError(
                "clients.scheduler",
                _("is not a Dask scheduler's address"),
                hint=_("Write {template}.").format(template=_TEMPLATE),
            )
        self._check_workers()
        self._check_encryption()

    @property
    def remote(self) -> bool:
        """True where a cluster makes the load."""
        return bool(self.scheduler)

    @property
    def encrypted(self) -> bool:
        """True where the connection to the cluster uses TLS."""
        return is_encrypted(self.scheduler)

    def _refuse_without_scheduler(self) -> None:
        standard = {field.name: field.default for field in msgspec.structs.fields(self)}
        for name, value in standard.items():
            if getattr(self, name) != value:
                hint = _("Add scheduler = '{template}', or leave it out.").format(template=_TEMPLATE)
                raise SpecError(f"clients.{name}", _("is of no use without a scheduler"), hint=hint)

    def _check_workers(self) -> None:
        for i, name in enumerate(self.workers):
            if not name.strip() or len(name) > _MOST_CHARS or not name.isprintable():
                hint = _("Write a worker's name or address, as `--name` of dask worker or its log has it.")
                raise SpecError(f"clients.workers[{i}]", _("{name!r} is no name").format(name=name[:80]), hint=hint)
        twice = sorted({name for name in self.workers if self.workers.count(name) > 1})
        if twice:
            raise SpecError(
                "clients.workers",
                _("{twice!r} is there twice").format(twice=twice[0]),
                hint=_("Name each worker once."),
            )

    def _check_encryption(self) -> None:
        files = {"ca_file": self.ca_file, "cert_file": self.cert_file, "key_file": self.key_file}
        lacking = [name for name, path in files.items() if not path]
        if self.encrypted and lacking:
            hint = _("Scheduler, workers and this computer know each other by certificates: see ") + _MANUAL_PAGE
            raise SpecError(f"clients.{lacking[0]}", _("is needed with tls"), hint=hint)
        if not self.encrypted and len(lacking) < len(files):
            named = next(name for name, path in files.items() if path)
            hint = _("Write {scheduler}, or leave it out.").format(scheduler=self.scheduler.replace("tcp:", "tls:", 1))
            raise SpecError(f"clients.{named}", _("is of no use with tcp"), hint=hint)


def refuse_local_loads(clients: ClientsSpec, host_url: str, kinds: Iterable[str]) -> None:
    """Refuse a sweep whose load other computers cannot make.

    Args:
        clients: The clients of the plan.
        host_url: The host's URL.
        kinds: The kinds of its loads.

    Raises:
        SpecError: The host is simulated, or a load runs a program on this computer only.
    """
    if not clients.remote:
        return
    if is_simulated(host_url):
        raise SpecError("clients", _("the load of a simulated host is also simulated"), hint=_("Leave [clients] out."))
    for kind in sorted(kinds):
        if LOAD_KINDS[kind].engine:
            hint = _("Leave {kind} out, or [clients]; or take a load whose users are DomTune's own.").format(kind=kind)
            why = _("the program of {kind} runs on this computer only, not on a cluster's workers").format(kind=kind)
            raise SpecError("clients", why, hint=hint)


def refuse_unencrypted(clients: ClientsSpec, *, agreed: bool) -> None:
    """Refuse a scheduler over tcp without the consent of a person.

    Loopback is no exception: any account of this computer may listen on its port while the scheduler does not run.

    Args:
        clients: The clients of a plan.
        agreed: True where a person agreed at the command line or in the window; a plan cannot agree.

    Raises:
        SpecError: The scheduler has a tcp address, and no person agreed.
    """
    if not clients.remote or clients.encrypted or agreed:
        return
    hint = (
        _("Use tls:// with certificates: see ")
        + _MANUAL_PAGE
        + _(
            " If you trust all users of the network and of both "
            "computers, add --insecure (in the window: the box without encryption)."
        )
    )
    raise SpecError(
        "clients.scheduler",
        _(
            "{scheduler} is used without encryption. Anyone on the network path can read the "
            "database password, and anyone who reaches the scheduler can run programs on its "
            "workers"
        ).format(scheduler=clients.scheduler),
        hint=hint,
    )


def is_encrypted(address: str) -> bool:
    """Return True when the address of a scheduler uses TLS."""
    return address.startswith("tls://")


def parse_address_host(address: str) -> str:
    """Return the host of an address `PROTOCOL://HOST:PORT`, without brackets."""
    return address.partition("://")[2].rpartition(":")[0].strip("[]")


def is_loopback(host: str) -> bool:
    """Return True when a host name or address can only be this computer."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def deal_out_users(users: int, workers: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return worker to the numbers of its users, distributed in turn.

    Workers without a user are left out.

    Args:
        users: Number of users, >= 1.
        workers: Names, at least one.
    """
    found = {name: tuple(range(i, users, len(workers))) for i, name in enumerate(workers)}
    return {name: numbers for name, numbers in found.items() if numbers}

"""A real Dask cluster on the loopback: a scheduler and two workers, each a process of its own, ended with the tests."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest
from dask import config as dask_config
from distributed import LocalCluster
from distributed.security import Security

from scheduler.model.clients import ClientsSpec
from tests.contract.loads_contract import wait_until
from tests.contract.postgres_fixture import Database, facts_of, small, spec_of
from tests.one_load import OneLoad, open_pool

KIND = "osdb-oltp"


class Dask:
    """A running cluster."""

    def __init__(self, cluster: LocalCluster) -> None:
        self.cluster = cluster
        self.address: str = cluster.scheduler_address

    def pool(self, database: Database, users: int = 2, **clients: object) -> OneLoad:
        """Return a load of some users that the cluster makes."""
        load = msgspec.structs.replace(small(KIND), users=users)
        spec = msgspec.structs.replace(spec_of(load), clients=ClientsSpec(self.address, **clients))
        return open_pool(spec, facts_of(), database.url, database.secrets)

    def worker_pid(self, number: int) -> int:
        return self.cluster.workers[number].pid

    def names(self) -> set[str]:
        return {str(worker["name"]) for worker in self.cluster.scheduler_info["workers"].values()}

    @contextlib.contextmanager
    def extra_worker(self, name: str) -> Iterator[subprocess.Popen[bytes]]:
        """Yield one more worker, that nobody starts again when it is killed."""
        words = ["-m", "distributed.cli.dask_worker", self.address, "--name", name, "--no-nanny", "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([sys.executable, *words, "--nthreads", "1"], **quiet)
        try:
            wait_until(lambda: name in self.names(), f"the start of the worker {name}", 60.0)
            yield process
        finally:
            process.kill()
            process.wait()


def users_below(pid: int) -> list[psutil.Process]:
    """Return the processes of users that a worker has started."""
    children = psutil.Process(pid).children(recursive=True)
    return [child for child in children if "scheduler.loads.worker" in child.cmdline()]


@contextlib.contextmanager
def running_cluster(workers: int = 2, security: Security | None = None) -> Iterator[Dask]:
    """Yield a cluster that tells at once of a worker that died, as the how-to has it."""
    more = {"security": security, "protocol": "tls://"} if security else {}
    with (
        dask_config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            host="127.0.0.1",
            **more,
        ) as cluster,
    ):
        yield Dask(cluster)


@pytest.fixture(scope="module")
def dask() -> Iterator[Dask]:
    with running_cluster() as found:
        yield found


class Certificates:
    """An authority, and certificates that it signed, as a how-to makes them with openssl."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.ca, self.cert, self.key = (str(folder / name) for name in ("ca.pem", "cert.pem", "key.pem"))
        ca_key, request = str(folder / "ca.key"), str(folder / "request.pem")
        new = ("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        authority, subject = ("-subj", "/CN=an authority"), ("-subj", "/CN=a computer")
        _run(*new, "-x509", "-days", "2", *authority, "-keyout", ca_key, "-out", self.ca)
        _run(*new, *subject, "-keyout", self.key, "-out", request)
        signed = ("-CA", self.ca, "-CAkey", ca_key, "-CAcreateserial", "-days", "2")
        _run("openssl", "x509", "-req", "-in", request, *signed, "-out", self.cert)

    @property
    def spec(self) -> dict[str, str]:
        return {"ca_file": self.ca, "cert_file": self.cert, "key_file": self.key}

    @property
    def security(self) -> Security:
        pairs = {f"tls_{who}_{what}" for who in ("scheduler", "worker", "client") for what in ("cert", "key")}
        files = {name: self.cert if name.endswith("cert") else self.key for name in pairs}
        return Security(tls_ca_file=self.ca, require_encryption=True, **files)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, timeout=60)

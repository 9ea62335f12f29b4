"""A real MySQL for tests, as `packaging/mysql-server` brings it: strict, with its usual login and its binary log."""

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest

from tests import apart
from tests.contract.loads_contract import wait_until
from tests.contract.mariadb_fixture import Database
from tests.contract.postgres_fixture import SHARED_SERVER_CPUS, open_folder

_GET = Path(__file__).parents[2] / "packaging" / "mysql-server"
_GET_S = 300  # with the download, which `make test` has done before
_START_S = 30


class MysqlServer:
    """A server whose only account is `domtune`, by `caching_sha2_password`.

    Args:
        folder: Where it is started; its data, socket and log are made there.
        program: From `packaging/mysql-server`.
    """

    user = "domtune"

    def __init__(self, folder: Path, program: Path) -> None:
        self.password = secrets.token_hex(16)
        self.socket = folder / "mysqld.sock"
        self.authorities = folder / "data" / "ca.pem"
        self._log = folder / "server.err"  # MySQL appends .err to a name without a dot
        shutil.copytree(program.parent / "data", folder / "data")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        first = folder / "first.sql"
        first.write_text(
            f"CREATE USER domtune@'127.0.0.1' IDENTIFIED BY '{self.password}';\n"
            "GRANT ALL ON *.* TO domtune@'127.0.0.1' WITH GRANT OPTION;\n"
        )
        # The server goes when the tests go, however they end.
        self._process = subprocess.Popen(
            [
                *("setpriv", "--pdeathsig", "KILL", program, f"--user={_account()}"),
                *(f"--datadir={folder / 'data'}", f"--socket={self.socket}", f"--pid-file={folder / 'pid'}"),
                *("--bind-address=127.0.0.1", f"--port={self.port}", "--mysqlx=OFF", f"--init-file={first}"),
                *("--sql-require-primary-key=ON", "--innodb-redo-log-capacity=64M"),
                *("--log-bin", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"),
                f"--log-error={self._log}",
            ],
            stdin=subprocess.DEVNULL,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.port

    def url(self, address: tuple[str, int]) -> str:
        host, port = address
        return f"mysql://{self.user}@{host}:{port}/?ssl-mode=verify_ca&ssl-ca={self.authorities}"

    def wait_until_ready(self) -> None:
        def listens() -> bool:
            assert self._process.poll() is None, self._log.read_text()
            return "ready for connections" in (self._log.read_text() if self._log.exists() else "")

        wait_until(listens, "a MySQL that listens", _START_S)

    def kill(self) -> None:
        """End it at once: its data are not needed any more."""
        self._process.kill()
        self._process.wait()


class MysqlDatabase(Database):
    """A running server and how to get in."""

    server: MysqlServer

    @contextlib.contextmanager
    def session(self, **more: str) -> Iterator[pymysql.cursors.Cursor]:
        """Yield a cursor of a connection in autocommit."""
        server = self.server
        who = {"user": server.user, "password": server.password, **more}
        tls = {"ssl_ca": str(server.authorities), "ssl_verify_identity": False}
        connection = pymysql.connect(host="127.0.0.1", port=server.port, autocommit=True, **who, **tls)
        with contextlib.closing(connection), connection.cursor() as cursor:
            yield cursor


def mysql_program() -> Path:
    """Return the program that starts MySQL; fails the test where it cannot be had."""
    got = subprocess.run([_GET], capture_output=True, text=True, timeout=_GET_S, check=False)
    if got.returncode:
        pytest.fail(f"packaging/mysql-server: {got.stderr.strip()}", pytrace=False)
    return Path(got.stdout.strip())


@pytest.fixture(scope="session")
def mysql() -> Iterator[MysqlDatabase]:
    """A server that is shared, and slow where others would pay for its speed."""
    program = mysql_program()
    with open_folder() as folder:
        server = MysqlServer(folder, program)
        try:
            server.wait_until_ready()
            with apart.slowed(server.pid, 2 * SHARED_SERVER_CPUS):
                yield MysqlDatabase(server)
        finally:
            server.kill()


def _account() -> str:
    return "root" if os.geteuid() == 0 else ""

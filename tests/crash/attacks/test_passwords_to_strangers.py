"""The attack: a database server asks for the password in a form that it can read, or a plan sends it elsewhere."""

import contextlib
import json
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scheduler.errors import DatabaseUnreachable
from scheduler.loads.engines.program import SupervisedProgram
from scheduler.loads.load_registry import open_loads
from scheduler.loads.sysbench import sysbench_program as sysbench
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from tests.contract.loads_contract import wait_until
from tests.contract.postgres_fixture import facts_of, spec_of
from tests.crash.trial import REPO, environment
from tests.hostile_databases import (
    Listening,
    greeting,
    hostile,
    message,
    packet,
    read_message,
    read_packet,
    read_startup,
)
from tests.xapi_double.certificates import Pair, make

pytestmark = pytest.mark.crash

TYPED, MY_CNF, MYSQL_PWD, PGPASSWORD, PGPASS = (f"CANARY-{n}-of-mine" for n in ("a", "b", "c", "d", "e"))
CANARIES = (TYPED, MY_CNF, MYSQL_PWD, PGPASSWORD, PGPASS)


def switching_to(plugin: bytes, more: bytes = b"", *answers: bytes):
    """A MariaDB that greets, and then asks for another login."""
    return announcing("mysql_native_password", b"\xfe" + plugin + b"\0" + more, *answers)


def announcing(plugin: str, *answers: bytes):
    """A MariaDB that announces a login in its greeting, and goes on in it."""

    def serve(connection: Listening) -> None:
        connection.sendall(greeting(plugin))
        number, _ = read_packet(connection)
        for answer in answers:
            connection.sendall(packet(number + 1, answer))
            number, _ = read_packet(connection)
        connection.silence()

    return serve


def asking(code: int, more: bytes = b""):
    """A PostgreSQL that asks for a kind of password."""

    def serve(connection: Listening) -> None:
        read_startup(connection)
        connection.sendall(message(b"R", code.to_bytes(4, "big") + more))
        read_message(connection)
        connection.silence()

    return serve


MARIADB = {
    "clear": switching_to(b"mysql_clear_password"),
    "dialog": switching_to(b"dialog", b"\x04Password: "),
    "dialog in other words": switching_to(b"dialog", b"\x05PIN: "),
    "old": switching_to(b"mysql_old_password", b"12345678\0"),
    "sha256": switching_to(b"sha256_password", b"12345678901234567890\0"),
    "caching, all of it": switching_to(b"caching_sha2_password", b"12345678901234567890\0", b"\x01\x04"),
    "announced sha256": announcing("sha256_password", b"\x01-----BEGIN PUBLIC KEY-----"),
    "announced clear": announcing("mysql_clear_password", b"\xfemysql_clear_password\0"),
    "announced caching, all of it": announcing("caching_sha2_password", b"\x01\x04", b"\x01-----BEGIN PUBLIC KEY-----"),
}
POSTGRESQL = {"clear": asking(3), "md5": asking(5, b"salt")}
SCHEMES = [*(("mariadb", name, serve) for name, serve in MARIADB.items())]
SCHEMES += [("postgresql", name, serve) for name, serve in POSTGRESQL.items()]


def home_with_passwords(folder: Path) -> dict[str, str]:
    """Return the environment of a person who keeps a password wherever one can be kept."""
    (folder / ".my.cnf").write_text(f"[client]\npassword={MY_CNF}\n")
    (folder / ".pgpass").write_text(f"*:*:*:*:{PGPASS}\n")
    for name in (".my.cnf", ".pgpass"):
        (folder / name).chmod(0o600)
    return {**environment(folder), "HOME": str(folder)}


def domtune(words: list[str], environment: dict[str, str], given: str = "") -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "scheduler", *words],
        cwd=REPO,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("scheme", "name", "serve"), SCHEMES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_preflight_reveals_no_given_password(scheme, name, serve):
    with hostile(serve) as server:
        url = f"{scheme}://me@127.0.0.1:{server.port}/db"
        loads = open_loads(spec_of(LoadSpec("osdb-ir", database=url)), facts_of(), "", {url: TYPED})
        with pytest.raises(DatabaseUnreachable) as caught:
            loads.preflight()
        loads.close()
    assert server.heard
    assert TYPED.encode() not in server.heard
    assert name == "announced sha256" or "ssl" in caught.value.hint


@pytest.fixture(scope="module")
def pair(tmp_path_factory) -> Pair:
    return make(tmp_path_factory.mktemp("tls"), "db.example")


def encrypted(pair: Pair, plugin: str, *answers: bytes):
    """A MariaDB or PostgreSQL that shows a certificate of its own, and then asks for the password in clear text."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)

    def mariadb(connection: Listening) -> None:
        connection.sendall(greeting(plugin, more=0x800))
        read_packet(connection)
        connection.encrypt(context)
        number, _ = read_packet(connection)
        for answer in answers:
            connection.sendall(packet(number + 1, answer))
            number, _ = read_packet(connection)
        connection.silence()

    def postgresql(connection: Listening) -> None:
        read_startup(connection, context)
        connection.sendall(message(b"R", (3).to_bytes(4, "big")))
        read_message(connection)
        connection.silence()

    return postgresql if plugin == "postgresql" else mariadb


ENCRYPTED = {
    "clear": ("mysql_native_password", b"\xfemysql_clear_password\0"),
    "sha256": ("mysql_native_password", b"\xfesha256_password\x0012345678901234567890\0"),
    "announced sha256": ("sha256_password", b"\xfesha256_password\x0012345678901234567890\0"),
    "caching, all of it": ("caching_sha2_password", b"\x01\x04"),
    "postgresql": ("postgresql",),
}


@pytest.mark.parametrize("checked", [False, True], ids=["unchecked", "checked"])
@pytest.mark.parametrize("name", ENCRYPTED)
def test_encryption_alone_lets_no_password_out(name, checked, pair):
    """A server in between may be the other end; one whose certificate was checked is not."""
    scheme = "postgresql" if name == "postgresql" else "mariadb"
    query = "sslmode=require" if scheme == "postgresql" else "ssl-mode=required"
    if checked:
        query = f"sslmode=verify-ca&sslrootcert={pair.certificate}"
        query = query if scheme == "postgresql" else f"ssl-mode=verify_ca&ssl-ca={pair.certificate}"
    with hostile(encrypted(pair, *ENCRYPTED[name])) as server:
        url = f"{scheme}://me@127.0.0.1:{server.port}/db?{query}"
        loads = open_loads(spec_of(LoadSpec("osdb-ir", database=url)), facts_of(), "", {url: TYPED})
        thread = threading.Thread(target=lambda: preflight(loads))
        thread.start()
        wait_until(lambda: TYPED.encode() in server.heard or not thread.is_alive(), "the password or a refusal")
        assert (TYPED.encode() in server.heard) is checked
    thread.join(30)
    loads.close()


def preflight(loads) -> None:
    with contextlib.suppress(DatabaseUnreachable):
        loads.preflight()


@pytest.mark.parametrize(("scheme", "serve"), [("mariadb", MARIADB["clear"]), ("postgresql", POSTGRESQL["clear"])])
def test_check_database_reports_why_a_password_was_not_given(scheme, serve, tmp_path):
    with hostile(serve) as server:
        url = f"{scheme}://me@127.0.0.1:{server.port}/db"
        code, said = domtune(["check-database", url, "--json"], environment(tmp_path), f"{TYPED}\n")
    assert TYPED.encode() not in server.heard
    assert code == 1
    assert "asks for the password in" in json.loads(said.splitlines()[0])["text"]


@pytest.mark.parametrize("scheme", ["mariadb", "postgresql"])
@pytest.mark.parametrize("variables", [False, True], ids=["files", "variables"])
def test_run_sends_no_own_password_to_the_server_of_a_plan(scheme, variables, tmp_path):
    """Not even a hash of it, with which it could be guessed at: nobody has agreed to that server."""
    mine = home_with_passwords(tmp_path)
    if variables:
        mine |= {"MYSQL_PWD": MYSQL_PWD, "PGPASSWORD": PGPASSWORD}
    seen: list[bytes] = []

    def serve(connection: Listening) -> None:
        if scheme == "mariadb":
            connection.sendall(greeting())
            number, login = read_packet(connection)
            seen.append(login)
            connection.sendall(packet(number + 1, b"\xff\x15\x04#28000Access denied (using password: NO)"))
            return
        read_startup(connection)
        connection.sendall(message(b"R", (10).to_bytes(4, "big") + b"SCRAM-SHA-256\0\0"))
        seen.append(read_message(connection)[1])

    with hostile(serve) as server:
        url = f"{scheme}://me@127.0.0.1:{server.port}/db"
        plan = tmp_path / "plan.toml"
        plan.write_text(f'host = "local:"\nsplits = ["1:1"]\n[[load]]\nkind = "osdb-ir"\ndatabase = "{url}"\n')
        script = (
            "import sys\n"
            "from scheduler.commands.sweep import add_own_passwords\n"
            "from scheduler.commands.plan_argument import read_named_plan\n"
            "from scheduler.loads.load_registry import open_loads\n"
            "from tests.contract.postgres_fixture import facts_of\n"
            "spec = read_named_plan(sys.argv[1])\n"
            "loads = open_loads(spec, facts_of(), spec.loads[0].url, {})\n"
            "try: loads.preflight()\n"
            "except Exception as error: print(error, error.hint)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(plan)],
            cwd=REPO,
            env=mine,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert "wants a password" in done.stdout, done.stderr
    assert "--allow-password" in done.stdout
    assert not [canary for canary in CANARIES if canary.encode() in server.heard]
    if scheme == "postgresql":
        assert seen == []  # libpq does not even begin to log in
    else:
        [login] = seen
        assert login.partition(b"me\0")[2][:1] == b"\0"  # an empty answer to the scramble


@pytest.mark.parametrize("words", [["check-database"], ["watch", "local:", "--for", "1m", "--database"]], ids=" ".join)
def test_url_that_redirects_is_refused(words, tmp_path):
    code, said = domtune([*words, "postgresql://me@127.0.0.1/db?hostaddr=192.0.2.7"], home_with_passwords(tmp_path))
    assert code == 2, said
    assert "the parameter hostaddr" in said


@pytest.mark.parametrize("name", ["clear", "caching, all of it"])
def test_sysbench_is_not_begun_on_server_that_offers_no_encryption(name, pair):
    """Its library would answer in the clear, whatever its options say: our own connection comes first."""
    with hostile(MARIADB[name]) as server:
        params = {"host": "127.0.0.1", "port": str(server.port), "user": "me", "dbname": "db", "password": TYPED}
        begin = BeginOrder(params | {"ssl_mode": "verify_ca", "ssl_ca": str(pair.certificate)}, "sysbench", 0, 1, 0)
        with pytest.raises(DatabaseUnreachable, match="takes no encrypted connections"):
            sysbench.SysbenchScript(begin, 1).job()
    assert TYPED.encode() not in server.heard


@pytest.mark.parametrize("name", ["clear", "dialog", "caching, all of it", "sha256"])
def test_sysbench_reveals_no_password(name):
    """Its client library, other than ours, loads whatever login a server asks for."""
    with hostile(MARIADB[name]) as server:
        params = {"host": "127.0.0.1", "port": str(server.port), "user": "me", "dbname": "db", "password": TYPED}
        values = {each.name: each.default for each in LOAD_KINDS["sysbench"].parameters}
        running = SupervisedProgram(sysbench.sysbench_job(params, values, ("--threads=1", "--time=1", "run")))
        try:
            wait_until(lambda: b"me\0" in server.heard or running.status is not None, "a login")
            running.wait(1.0)
        finally:
            running.end()
    assert server.heard
    assert TYPED.encode() not in server.heard

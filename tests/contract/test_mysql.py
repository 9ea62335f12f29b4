"""A real MySQL 9, strict and with its usual login: every load, encryption, messages that fit MySQL."""

import contextlib
import secrets
from collections.abc import Iterator
from urllib.parse import urlsplit

import msgspec
import pytest

from scheduler.databases.database_registry import create_server
from scheduler.databases.mariadb.client import connect, parse_parameters
from scheduler.errors import DatabaseUnreachable
from scheduler.hosts.local.relay_process import RelayProcess
from scheduler.loads.engines.program import SupervisedProgram
from scheduler.loads.sysbench import sysbench_program as sysbench
from scheduler.model.load import LoadSpec
from tests.contract.loads_contract import wait_until, working
from tests.contract.mariadb_fixture import KINDS
from tests.contract.mysql_fixture import MysqlDatabase
from tests.contract.postgres_fixture import facts_of, small, spec_of
from tests.one_load import OneLoad, open_pool
from tests.xapi_double.certificates import make

SMALL = LoadSpec("osdb-oltp", users=1, tuples=3_000)  # tables of its own, next to those of all loads


@pytest.fixture
def account(mysql) -> Iterator[str]:
    """An account that the server has not seen yet, by `caching_sha2_password`; its name is its password."""
    name = f"u{secrets.token_hex(4)}"
    mysql.ask(f"CREATE USER {name}@'127.0.0.1' IDENTIFIED BY '{name}'")
    mysql.ask(rf"GRANT ALL ON `domtune\_%`.* TO {name}@'127.0.0.1'")  # as docs/how-to/use-your-own-database.md has it
    yield name
    mysql.ask(f"DROP USER {name}@'127.0.0.1'")


@contextlib.contextmanager
def pool_of(mysql: MysqlDatabase, name: str, *loads: LoadSpec, encrypted: bool = True) -> Iterator[OneLoad]:
    """Yield a pool by an account whose name is its password."""
    url = mysql.url.replace("domtune@", f"{name}@")
    url = url if encrypted else url.partition("?")[0]
    spec = spec_of(*(msgspec.structs.replace(load, database=url) for load in loads))
    pool = open_pool(spec, facts_of(), url, {url: name})
    with contextlib.closing(pool):
        yield pool


def test_every_load_on_strict_mysql_passes_its_check(mysql, account):
    alone = [msgspec.structs.replace(small(kind), users=1) for kind in KINDS]  # each user costs a start of Python
    with pool_of(mysql, account, *alone) as loads:
        found = loads.preflight()
        assert found["mysql"].split(".")[0] == "9"
        assert found["encryption"].startswith("TLSv1.3")
        assert found["log_bin"] == "ON"
        for kind in KINDS:
            loads.prepare(kind)
            loads.start(kind)
            assert working(loads), kind
            check = loads.stop()
            assert check is not None, kind
            assert check.passed, check.text


def test_unencrypted_login_is_refused_until_server_remembers_account(mysql, account):
    with pool_of(mysql, account, SMALL, encrypted=False) as pool, pytest.raises(DatabaseUnreachable) as caught:
        pool.preflight()
    assert "in readable form" in str(caught.value)
    assert "ssl-mode=verify_identity" in caught.value.hint
    assert "native" not in caught.value.hint
    for encrypted in (True, False):  # then its hash is enough
        with pool_of(mysql, account, SMALL, encrypted=encrypted) as pool:
            assert pool.preflight()["encryption"].startswith("TLSv1.3" if encrypted else "none")


def test_sysbench_without_encryption_names_the_login(mysql):
    plain = mysql.url.partition("?")[0]
    load = msgspec.structs.replace(small("sysbench"), database=plain, parameters={"tables": 1, "table_size": 1_000})
    pool = open_pool(spec_of(load), facts_of(), plain, {plain: mysql.server.password})
    connect(parse_parameters(mysql.url, mysql.server.password)).close()  # the server remembers the account's hash then
    with contextlib.closing(pool):
        pool.preflight()
        with pytest.raises(DatabaseUnreachable, match="in readable form"):
            pool.prepare(load.kind)


@pytest.fixture
def at_socket(mysql) -> Iterator[str]:
    """URL, by the server's Unix socket, of an account that the server has not seen yet; its name is its password."""
    name = f"s{secrets.token_hex(4)}"
    mysql.ask(f"CREATE USER {name}@localhost IDENTIFIED BY '{name}'")
    mysql.ask(rf"GRANT ALL ON `domtune\_%`.* TO {name}@localhost")
    yield f"mysql://{name}@/?socket={mysql.server.socket}"
    mysql.ask(f"DROP USER {name}@localhost")


def test_sysbench_on_mysql_logs_in_by_relay_of_its_socket(mysql, at_socket):
    server = create_server(at_socket)
    assert server.find() == mysql.server.pid
    relay = RelayProcess(*server.address)
    relay.start()
    try:
        url = server.url(relay.address)
        load = msgspec.structs.replace(small("sysbench"), database=url, parameters={"tables": 1, "table_size": 1_000})
        pool = open_pool(spec_of(load), facts_of(), url, {url: urlsplit(url).username})
        with contextlib.closing(pool):
            assert pool.preflight()["encryption"] == "none"
            mysql.ask("FLUSH PRIVILEGES")  # the server forgets the hash: sysbench must give the password itself
            pool.prepare(load.kind)
            pool.start(load.kind)
            assert working(pool)
            check = pool.stop()
            assert check is not None
            assert check.passed, check.text
    finally:
        relay.stop()


def test_password_is_refused_at_socket_that_all_may_replace(mysql, at_socket, tmp_path):
    tmp_path.chmod(0o1777)
    link = tmp_path / "link.sock"
    link.symlink_to(mysql.server.socket)
    url = f"{at_socket.partition('=')[0]}={link}"
    with pytest.raises(DatabaseUnreachable, match="in readable form") as refused:
        connect(parse_parameters(url, urlsplit(at_socket).username))
    assert "Unix socket in a protected folder" in refused.value.hint


def test_sysbench_gives_no_password_to_server_of_another_authority(mysql, tmp_path):
    other = make(tmp_path, "db.example")
    params = parse_parameters(mysql.url, mysql.server.password) | {"ssl_ca": str(other.certificate)}
    making = SupervisedProgram(sysbench.sysbench_job(params, small("sysbench").values, ("prepare",)))
    try:
        wait_until(lambda: making.status is not None, "its end")
        assert "TLS/SSL error: self-signed certificate in certificate chain" in " ".join(
            line.text for line in making.lines()
        )
    finally:
        making.end()

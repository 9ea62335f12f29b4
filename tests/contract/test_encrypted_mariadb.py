"""A MariaDB that takes encrypted connections: who asks for them gets them or an error, never a plain one."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scheduler.databases.mariadb import mariadb_data
from scheduler.errors import DatabaseUnreachable
from scheduler.model.load import LoadSpec
from tests.contract.loads_contract import working
from tests.contract.mariadb_fixture import Database, running_server
from tests.contract.postgres_fixture import facts_of, open_folder, spec_of
from tests.one_load import OneLoad, open_pool
from tests.xapi_double.certificates import Pair, make

LOAD = LoadSpec("osdb-oltp", users=2, tuples=3_000)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with open_folder() as folder:  # one that the server's account can read
        made = make(folder, "db.example", rsa=True)
        made.key.chmod(0o644)
        yield made


@pytest.fixture(scope="module")
def encrypted(pair: Pair) -> Iterator[Database]:
    """A server with a certificate of its own."""
    with pytest.MonkeyPatch.context() as patch:
        more = {"ssl-cert": str(pair.certificate), "ssl-key": str(pair.key)}
        patch.setattr(mariadb_data, "SETTINGS", {**mariadb_data.SETTINGS, **more})
        with running_server() as database:
            patch.undo()  # other servers that begin meanwhile are as ever
            yield database


def pool_on(database: Database, query: str) -> OneLoad:
    url = database.url + query
    return open_pool(
        spec_of(msgspec.structs.replace(LOAD, database=url)), facts_of(), url, {url: database.server.password}
    )


def accepted(database: Database) -> int:
    """Return how many encrypted connections the server has accepted so far."""
    return int(database.ask("SHOW GLOBAL STATUS LIKE 'Ssl_finished_accepts'")[0][1])


def refused(database: Database, query: str) -> str:
    pool = pool_on(database, query)
    try:
        with pytest.raises(DatabaseUnreachable) as caught:
            pool.preflight()
    finally:
        pool.close()
    assert caught.value.hint
    return str(caught.value)


def test_users_who_ask_for_encryption_have_it_and_the_result_reports_it(encrypted: Database, pair: Pair):
    pool = pool_on(encrypted, f"?ssl-mode=verify_ca&ssl-ca={pair.certificate}")
    try:
        assert pool.preflight()["encryption"].startswith("TLSv1.")
        pool.prepare(LOAD.kind)
        before = accepted(encrypted)
        pool.start(LOAD.kind)
        assert working(pool)
        assert accepted(encrypted) - before >= LOAD.users
        check = pool.stop()
        assert check is not None
        assert check.passed
    finally:
        pool.close()


@pytest.mark.parametrize(("query", "found"), [("", "none"), ("?ssl-mode=required", "TLSv1.")])
def test_no_one_who_does_not_ask_pays_for_it(encrypted: Database, query: str, found: str):
    pool = pool_on(encrypted, query)
    try:
        assert pool.preflight()["encryption"].startswith(found)
    finally:
        pool.close()


def test_certificate_that_is_not_trusted_or_anothers_is_refused(encrypted: Database, pair: Pair):
    assert "unknown authority" in refused(encrypted, "?ssl-mode=verify_ca")
    said = refused(encrypted, f"?ssl-mode=verify_identity&ssl-ca={pair.certificate}")
    assert "belongs to another host" in said


def test_authorities_that_cannot_be_read_are_named(encrypted: Database, tmp_path: Path):
    assert "No such file" in refused(encrypted, f"?ssl-mode=verify_ca&ssl-ca={tmp_path}/none.pem")
    (tmp_path / "odd.pem").write_text("no certificate")
    assert "cannot be read" in refused(encrypted, f"?ssl-mode=verify_ca&ssl-ca={tmp_path}/odd.pem")


def test_server_without_a_certificate_gives_no_plain_connection_instead(maria: Database):
    assert "takes no encrypted connections" in refused(maria, "?ssl-mode=required")

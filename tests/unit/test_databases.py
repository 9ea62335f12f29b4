"""Every database that a plan may name has a folder that opens it, and hosts and loads need no other way to it."""

import os
from importlib import import_module

import pytest

from scheduler.databases.database_registry import create_server, open_database
from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, database_url, parse_database_name


@pytest.mark.parametrize("name", DATABASES)
def test_that_every_database_has_its_folder(name):
    opening = import_module(f"scheduler.databases.{name}.opening")
    for asked in ("embedded_server", "external_server", "open_database", "own_password"):
        assert callable(getattr(opening, asked))


@pytest.mark.parametrize("name", DATABASES)
def test_that_every_scheme_leads_to_its_database(name):
    kind = DATABASES[name]
    assert (parse_database_name(kind.brought), database_url(kind.brought)) == (name, "")
    for scheme in kind.schemes:
        url = f"{scheme}://me@127.0.0.1:5999/bank"
        assert (parse_database_name(url), database_url(url)) == (name, url)
        assert open_database(url, "top-secret").params["port"] == "5999"


def test_that_an_adopted_server_keeps_its_database_and_user_at_the_relays_address():
    server = create_server("postgresql://m%65@127.0.0.1:5999/bank%20one")
    assert not server.ours
    assert server.title == "PostgreSQL at 127.0.0.1:5999"
    assert server.url(("127.0.0.1", 6000)) == "postgresql://me@127.0.0.1:6000/bank%20one"
    assert server.url(("/run/relay", 5432)) == "postgresql://me@/bank%20one?host=%2Frun%2Frelay&port=5432"


@pytest.mark.parametrize("scheme", ["mariadb", "mysql"])
def test_that_an_adopted_mariadb_keeps_its_database_and_user_at_the_relays_address(scheme):
    server = create_server(f"{scheme}://m%65@127.0.0.1/bank%20one")
    assert not server.ours
    assert server.title == f"{'MySQL' if scheme == 'mysql' else 'MariaDB'} at 127.0.0.1:3306"
    assert server.url(("127.0.0.1", 6000)) == "mariadb://me@127.0.0.1:6000/bank%20one"
    encrypted = create_server(f"{scheme}://me@127.0.0.1/x?ssl-ca=/etc/a%20b.pem&ssl-mode=VERIFY_CA")
    assert (
        encrypted.url(("127.0.0.1", 6000)) == "mariadb://me@127.0.0.1:6000/x?ssl-mode=verify_ca&ssl-ca=/etc/a%20b.pem"
    )


def test_that_no_name_is_checked_through_a_relay_that_has_another_one():
    with pytest.raises(SpecError, match="a relay before the server") as refused:
        create_server("mysql://me@127.0.0.1/x?ssl-mode=verify-identity")
    assert "verify_ca" in refused.value.hint


WRONG = ("mariadb://h/db", "mariadb://u@h:0/db", "mariadb://u@h:65536/db", "mariadb://u@h/a/b", "mariadb://u@/db")
WRONG += (
    "mysql://u@h/%",
    "mysql://u@h/%ff",
    "mysql://u@h?x=y",
    "mysql://u@h#x",
    "mysql://u@h1,h2/db",
    "mysql://u @h/db",
    "mysql://u@h/db?ssl-mode=perhaps",
    "mysql://u@h/db?ssl-mode=required&ssl-mode=disabled",
    "mysql://u@h/db?ssl-mode",
    "mysql://u@h/db?ssl-ca=/etc/ca.pem",
    "mysql://u@h/db?ssl-mode=required&ssl-ca=/etc/ca.pem",
    "mysql://u@h/db?ssl-mode=verify_ca&ssl-ca=ca.pem",
    "mysql://u@h/db?ssl-mode=verify_ca&ssl-key=/etc/key.pem",
)


@pytest.mark.parametrize("url", WRONG)
def test_that_a_url_of_mariadb_is_read_to_the_letter_or_refused(url):
    with pytest.raises(SpecError, match=r"load\.database"):
        create_server(url)


def test_that_no_driver_takes_a_name_for_a_socket():
    assert open_database("mysql://me@localhost/x", "").params["host"] == "127.0.0.1"


@pytest.mark.parametrize("named", ["oracle:", "oracle://me@h/bank", "postgresql:me@h", "me:top-secret@h"])
def test_that_what_is_no_database_is_refused_and_not_repeated(named):
    with pytest.raises(SpecError, match=r"load\.database") as refused:
        create_server(named)
    assert "top-secret" not in f"{refused.value} {refused.value.hint}"


LOCKS = {
    "a FIFO": os.mkfifo,
    "a link": lambda path: path.symlink_to("/dev/zero"),
    "a folder": os.mkdir,
    "a number that is no process": lambda path: path.write_text("-7\n"),
    "another script's digits": lambda path: path.write_text("\N{SUPERSCRIPT TWO}\n"),
    "digits without end": lambda path: path.write_text("9" * 5000),
}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may move another account's server")
@pytest.mark.parametrize("made", LOCKS)
def test_that_a_lock_beside_a_socket_that_no_server_wrote_names_no_process_and_holds_nobody_up(made, tmp_path):
    LOCKS[made](tmp_path / ".s.PGSQL.5432.lock")
    with pytest.raises(SpecError, match="no server of this computer listens"):
        create_server(f"postgresql://me@/bank?host={tmp_path}").start()

"""Every database that a plan may name has a folder that opens it, and hosts and loads need no other way to it."""

import contextlib
import os
import socket
from importlib import import_module

import psutil
import pytest

from scheduler.databases.database_registry import create_server, open_database
from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, database_url, parse_database_name


@pytest.mark.parametrize("name", DATABASES)
def test_every_database_has_its_folder(name):
    opening = import_module(f"scheduler.databases.{name}.opening")
    for asked in ("embedded_server", "external_server", "open_database", "own_password"):
        assert callable(getattr(opening, asked))


@pytest.mark.parametrize("name", DATABASES)
def test_every_scheme_leads_to_its_database(name):
    kind = DATABASES[name]
    assert (parse_database_name(kind.brought), database_url(kind.brought)) == (name, "")
    for scheme in kind.schemes:
        url = f"{scheme}://me@127.0.0.1:5999/bank"
        assert (parse_database_name(url), database_url(url)) == (name, url)
        assert open_database(url, "top-secret").params["port"] == "5999"


def test_adopted_server_keeps_its_database_and_user_at_the_relays_address():
    server = create_server("postgresql://m%65@127.0.0.1:5999/bank%20one")
    assert not server.ours
    assert server.title == "PostgreSQL at 127.0.0.1:5999"
    assert server.url(("127.0.0.1", 6000)) == "postgresql://me@127.0.0.1:6000/bank%20one"
    relayed = server.url(("/run/relay/.s.PGSQL.5433", 0))
    assert relayed == "postgresql://me@/bank%20one?host=%2Frun%2Frelay&port=5433"


@pytest.mark.parametrize("scheme", ["mariadb", "mysql"])
def test_adopted_mariadb_keeps_its_database_and_user_at_the_relays_address(scheme):
    server = create_server(f"{scheme}://m%65@127.0.0.1/bank%20one")
    assert not server.ours
    assert server.title == f"{'MySQL' if scheme == 'mysql' else 'MariaDB'} at 127.0.0.1:3306"
    assert server.url(("127.0.0.1", 6000)) == "mariadb://me@127.0.0.1:6000/bank%20one"
    encrypted = create_server(f"{scheme}://me@127.0.0.1/x?ssl-ca=/etc/a%20b.pem&ssl-mode=VERIFY_CA")
    assert (
        encrypted.url(("127.0.0.1", 6000)) == "mariadb://me@127.0.0.1:6000/x?ssl-mode=verify_ca&ssl-ca=/etc/a%20b.pem"
    )


def test_external_postgresql_at_socket_is_reached_directly_in_its_folder():
    server = create_server("postgresql://me@/bank?host=/run/postgresql&port=5433")
    assert server.url(server.address) == "postgresql://me@/bank?host=%2Frun%2Fpostgresql&port=5433"


def test_external_mariadb_at_socket_keeps_database_and_user_at_socket_of_relay():
    server = create_server("mysql://m%65@/bank?socket=/run/mysqld/my%20sql.sock")
    assert server.title == "MySQL at /run/mysqld/my sql.sock"
    assert server.address == ("/run/mysqld/my sql.sock", 0)
    assert server.url(("/tmp/relay/my sql.sock", 0)) == "mariadb://me@/bank?socket=/tmp/relay/my%20sql.sock"


def test_no_name_is_checked_through_a_relay_that_has_another_one():
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
    "mysql://u@h/db?socket=/run/s",
    "mysql://u@:3306/db?socket=/run/s",
    "mysql://u@/db?socket=/run/s&ssl-mode=required",
    "mysql://u@/db?socket=s",
    "mysql://u@/db?socket=/run/",
    "mysql://u@/db?socket=/run/a,/tmp/b",
    "mysql://u@/db?socket=/run/%00",
    f"mysql://u@/db?socket=/{'s' * 107}",
    "mysql://u@/db?ssl-mode=required",
    "mysql://@/db?socket=/run/s",
)


@pytest.mark.parametrize("url", WRONG)
def test_url_of_mariadb_is_read_to_the_letter_or_refused(url):
    with pytest.raises(SpecError, match=r"load\.database"):
        create_server(url)


def test_no_driver_takes_a_name_for_a_socket():
    assert open_database("mysql://me@localhost/x", "").params["host"] == "127.0.0.1"


@pytest.mark.parametrize("named", ["oracle:", "oracle://me@h/bank", "postgresql:me@h", "me:top-secret@h"])
def test_what_is_no_database_is_refused_and_not_repeated(named):
    with pytest.raises(SpecError, match=r"load\.database") as refused:
        create_server(named)
    assert "top-secret" not in f"{refused.value} {refused.value.hint}"


NO_SERVERS = {
    "nothing": lambda _: None,
    "a FIFO": os.mkfifo,
    "a link": lambda path: path.symlink_to("/dev/zero"),
    "a folder": os.mkdir,
    "a socket of an ended server": lambda path: bound(path).close(),
}
AT_SOCKETS = ("postgresql://me@/bank?host={folder}", "mysql://me@/bank?socket={folder}/.s.PGSQL.5432")


def bound(path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    return listener


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may move another account's server")
@pytest.mark.parametrize("made", NO_SERVERS)
@pytest.mark.parametrize("url", AT_SOCKETS)
def test_external_server_is_refused_where_nothing_listens_at_its_socket(url, made, tmp_path):
    NO_SERVERS[made](tmp_path / ".s.PGSQL.5432")
    with pytest.raises(SpecError, match="no server of this computer listens"):
        create_server(url.format(folder=tmp_path)).start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may move another account's server")
@pytest.mark.parametrize("url", AT_SOCKETS)
def test_external_server_is_process_that_listens_at_socket_in_closed_folder(url, tmp_path, monkeypatch):
    server = create_server(url.format(folder=tmp_path))
    monkeypatch.setattr(type(server), "names", (psutil.Process().name(),))  # this process is in its place
    with contextlib.closing(bound(tmp_path / ".s.PGSQL.5432")) as listener:
        listener.listen()
        server.start()
        assert server.pid == os.getpid()
        tmp_path.chmod(0o1777)
        with pytest.raises(SpecError, match="every account may put a socket into") as refused:
            server.start()
    assert "address and port" in refused.value.hint

"""Finding MariaDB's programs, which of its words blame the data, and what of a user's own file is its password."""

import os

import pytest

from scheduler.databases.account import ServerAccount
from scheduler.databases.mariadb import mariadb_binaries, option_file
from scheduler.databases.mariadb.built_in_mariadb import is_damage
from scheduler.databases.mariadb.mariadb_binaries import find_server, refuse_out_of_reach
from scheduler.databases.mariadb.mariadb_session import _format_values
from scheduler.errors import HostNotUsable

NOBODY = ServerAccount("nobody", 65_534, 65_534)


def install(base, version, tables="share/mysql/mysql_system_tables.sql"):
    """Make something that looks like an installed server; return its program."""
    server = base / "sbin" / "mariadbd"
    for path in (server, base / tables):
        path.parent.mkdir(parents=True, exist_ok=True)
    server.write_text(f"#!/bin/sh\necho 'mariadbd  Ver {version} for debian-linux-gnu on x86_64 (Debian 12)'\n")
    server.chmod(0o755)
    (base / tables).touch()
    return server


@pytest.fixture
def among(monkeypatch):
    def among(*programs):
        monkeypatch.setattr(mariadb_binaries, "_list_programs", lambda: iter(programs))

    return among


def test_newest_comes_first_by_number_and_mysql_is_none(tmp_path, among):
    old = install(tmp_path / "a", "10.6.9-MariaDB")
    new = install(tmp_path / "b", "10.11.6-MariaDB-0+deb12u1", "share/mariadb_system_tables.sql")
    mysql = install(tmp_path / "c", "99.0.36")
    among(mysql, new, old, new, tmp_path / "nothing")
    found = find_server()
    assert (found.server, found.version, found.series, found.base) == (new, "10.11.6", "10.11", tmp_path / "b")


def test_what_does_not_run_or_has_no_tables_is_passed_over(tmp_path, among):
    broken, lacking = install(tmp_path / "a", "11.4.2-MariaDB"), install(tmp_path / "b", "11.4.2-MariaDB")
    broken.write_text("#!/nowhere\n")
    (tmp_path / "b/share/mysql/mysql_system_tables.sql").unlink()
    among(broken, lacking)
    with pytest.raises(HostNotUsable, match="no MariaDB server is installed"):
        find_server()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_server_that_its_account_cannot_reach_is_refused_and_the_folder_stays_closed(tmp_path, among):
    among(install(tmp_path / "closed", "10.11.6-MariaDB"))
    (tmp_path / "closed").chmod(0o700)
    with pytest.raises(HostNotUsable, match="cannot reach"):
        refuse_out_of_reach(find_server(), NOBODY)


@pytest.mark.parametrize(
    "said",
    [
        "[ERROR] InnoDB: Header page consists of zero bytes in datafile: ./ibdata1, Space ID:0, Flags: 0",
        "[ERROR] InnoDB: Missing FILE_CHECKPOINT(44760) at 44760",
        "[ERROR] InnoDB: Database page corruption on disk or a failed read of file './ibdata1'",
        "[ERROR] Fatal error: Can't open and lock privilege tables: Table 'mysql.servers' doesn't exist",
        "[ERROR] Unknown/unsupported storage engine: InnoDB",
    ],
)
def test_data_which_the_server_blames_are_damaged(said):
    assert is_damage(f"it ended with status 1\n{said}")


@pytest.mark.parametrize(
    "said",
    [
        "[ERROR] InnoDB: Unable to lock ./ibdata1 error: 11\n[ERROR] Unknown/unsupported storage engine: InnoDB",
        "[ERROR] InnoDB: The innodb_system data file 'ibdata1' must be writable",
        "[ERROR] InnoDB: Operating system error number 24 in a file operation.\n[ERROR] InnoDB: Cannot open first page",
        "[ERROR] InnoDB: preallocating 12582912 bytes for file ./ibdata1 failed with error 28: No space left on device",
        "[ERROR] Can't start server: Bind on TCP/IP port. Got error: 98: Address already in use",
        "it was not ready within 60 s",
        "",
    ],
)
def test_data_are_not_damaged_by_what_lies_elsewhere(said):
    assert not is_damage(said)


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ("[client]\npassword=pw\n", "pw"),
        ("[client]\n password = pw # mine\n", "pw"),
        ("[client]\npassword='p#w'\n", "p#w"),
        ('[client-mariadb]\npassword = "p w" # mine\n', "p w"),
        ("[client]\npassword=a\n[client]\npassword=b\\\\c\\s\n", "b\\c "),
        ("[mysqld]\npassword=pw\n", ""),
        ("password=pw\n", ""),
        ("[client]\n#password=pw\npasswords=x\npassword\n", ""),
    ],
)
def test_clients_password_is_found_as_the_servers_own_clients_find_it(text, password, tmp_path, monkeypatch):
    monkeypatch.delenv("MYSQL_PWD", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".my.cnf").write_text(text)
    (tmp_path / ".my.cnf").chmod(0o600)
    assert option_file.own_password() == password
    (tmp_path / ".my.cnf").chmod(0o640)
    assert option_file.own_password() == ""


def test_rows_of_csv_become_values_and_what_needs_quotes_is_refused():
    assert list(_format_values([b"1,a b,x\n2,,y\n"], b",")) == [b"('1','a b','x'),('2',NULL,'y')"]
    assert [len(part.split(b"),(")) for part in _format_values([b"1\n" * 2_001], b",")] == [1000, 1000, 1]
    for text in (b"1,o'clock\n", b'1,"a"\n', b"1,a\\b\n"):
        with pytest.raises(ValueError, match="quotes"):
            list(_format_values([text], b","))

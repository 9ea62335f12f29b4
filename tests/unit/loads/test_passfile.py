"""The password file says the same to us as to libpq, which has the rules."""

import os
import random
import socket

import psycopg2
import psycopg2.extensions
import pytest

from scheduler.databases.postgresql import pg_client
from scheduler.databases.postgresql.passfile import own_password

FIELDS = ("*", "127.0.0.1", "localhost", "osdb", "other", "a\\:b", "a:b", "\\\\", "", "5432", "o*", "*x")
SEPARATORS = (":", ":", ":", ":", ":", "\\:", "::", "")


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "pgpass"
    path.touch(mode=0o600)
    monkeypatch.setenv("PGPASSFILE", str(path))
    monkeypatch.delenv("PGPASSWORD", raising=False)
    return path


def of_libpq(port: int, user: str, name: str) -> str:
    """Ask libpq itself: it looks the password up before anybody answers."""
    connection = psycopg2.connect(host="127.0.0.1", port=port, user=user, dbname=name, async_=1)
    try:
        return connection.info.password or ""
    finally:
        connection.close()


def line(rng: random.Random, port: int) -> str:
    fields = [rng.choice((*FIELDS, str(port))) for _ in range(4)]
    password = rng.choice(("pw", "p\\:w", "p:w", "p\\\\w", "", " spaces ", "#", "tr\\"))
    made = "".join(part + rng.choice(SEPARATORS) for part in fields) + password
    return rng.choice((made, made, made, f"#{made}", f"{made}\r", f"127.0.0.1:{port}:*:osdb:{password}"))


def test_three_hundred_odd_files_report_what_they_report_to_libpq(file):
    rng = random.Random(13)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        found = 0
        for _ in range(300):
            file.write_text("\n".join(line(rng, port) for _ in range(rng.randrange(6))), "utf-8")
            user, name = rng.choice(("osdb", "other", "a:b")), rng.choice(("osdb", "other"))
            quoted = user.replace(":", "%3A")
            target = f"postgresql://{quoted}@127.0.0.1:{port}/{name}"
            expected = of_libpq(port, user, name)
            assert own_password(target) == expected, file.read_text()
            found += bool(expected)
        assert found > 30


def test_password_may_hold_any_letter(file):
    file.write_text("*:*:*:*:gr\u00fc\u00df\n", "utf-8")
    url = "postgresql://u@127.0.0.1:5432/d"
    assert own_password(url) == "gr\u00fc\u00df"


def test_file_that_others_may_read_is_not_believed(file):
    file.write_text("*:*:*:*:pw\n")
    url = "postgresql://u@127.0.0.1:5432/d"
    assert own_password(url) == "pw"
    file.chmod(0o640)
    assert own_password(url) == ""


def test_what_is_no_plain_file_holds_no_one_up(file):
    file.unlink()
    os.mkfifo(file, 0o600)
    url = "postgresql://u@127.0.0.1:5432/d"
    assert own_password(url) == ""


def test_default_socket_is_called_localhost(file):
    file.write_text("localhost:5432:d:u:pw\n")
    assert own_password("postgresql://u@/d?host=/var/run/postgresql") == "pw"
    assert own_password("postgresql:///d?host=/elsewhere") == ""


def test_environment_comes_first(file, monkeypatch):
    file.write_text("*:*:*:*:pw\n")
    monkeypatch.setenv("PGPASSWORD", "other")
    assert own_password("postgresql://u@127.0.0.1:5432/d") == "other"


def test_parameters_leave_libpq_no_password_of_ones_own(file, monkeypatch):
    file.write_text("*:*:*:*:pw\n")
    monkeypatch.setenv("PGPASSWORD", "other")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        params = pg_client.parse_parameters(f"postgresql://u@127.0.0.1:{listening.getsockname()[1]}/d")
        connection = psycopg2.connect(psycopg2.extensions.make_dsn(**params), async_=1)
        try:
            assert not connection.info.password
        finally:
            connection.close()

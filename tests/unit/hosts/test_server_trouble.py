"""What is told of a server's end: nothing of another's log, and nothing that cannot be freed of the password."""

import subprocess
from pathlib import Path

import pytest

from scheduler.hosts.local.postgres.binaries import ServerBinary
from scheduler.hosts.local.postgres.server import EmbeddedServer

LOG = (
    "LOG:  server process (PID 7) was terminated by signal 9: Killed\n"
    "DETAIL:  Failed process was running: ALTER ROLE domtune PASSWORD 'hunter2'\n"
)


@pytest.fixture
def server(tmp_path):
    (tmp_path / "server.log").write_text(LOG)
    (tmp_path / "password").write_text("hunter2\n")
    return EmbeddedServer(ServerBinary(Path("/nowhere"), "18.1", "installed"), tmp_path)


def end_of(server):
    """Give it a process of its own that has ended."""
    server._process = subprocess.Popen(["true"])
    server._process.wait()
    return server.trouble()


def test_that_a_server_that_was_never_started_is_not_blamed_for_what_an_earlier_one_logged(server):
    assert server.trouble() == ""


def test_that_the_password_is_taken_out_of_what_is_told(server):
    told = end_of(server)
    assert "PID 7" in told
    assert "hunter2" not in told


@pytest.mark.parametrize("left", [None, "\n"])
def test_that_a_log_whose_password_is_not_known_any_more_is_not_told(server, tmp_path, left):
    if left is None:
        (tmp_path / "password").unlink()
    else:
        (tmp_path / "password").write_text(left)
    told = end_of(server)
    assert told.startswith("PostgreSQL 18.1 ended (status 0)")
    assert str(tmp_path / "server.log") in told
    assert "hunter2" not in told

"""The attack: a database server sends without end. The sweep ends with an error, and in bounded memory."""

import json
import struct
import subprocess
import sys

import pytest

from tests.crash.trial import REPO, environment
from tests.hostile_databases import (
    Listening,
    answer_queries,
    answer_statements,
    column,
    data_row,
    described,
    greeting,
    hostile,
    let_in,
    message,
    packet,
    read_packet,
    read_startup,
    welcome,
)
from tests.volume import few

pytestmark = pytest.mark.crash

LIMIT_MB = 100  # of one statement; by default it is four times that
MOST_MB = LIMIT_MB + 250  # what comes until the next look at it, and Python itself
LONG = b"x" * (1 << 20)

LOOK = """
import json, sys
from pathlib import Path
from scheduler.databases import abortable
from scheduler.errors import SchedulerError
from scheduler.loads.load_registry import open_loads
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import facts_of, spec_of
abortable._MOST_BYTES = int(sys.argv[2]) << 20
url = sys.argv[1]
loads = open_loads(spec_of(LoadSpec("osdb-ir", database=url)), facts_of(), "", {url: "x"})
try:
    loads.preflight()
    said = "nothing"
except SchedulerError as error:
    said = str(error)
loads.close()
# Not ru_maxrss: that of a new process begins with its parent's.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
print(json.dumps({"said": said, "mb": int(peak.split()[1]) / 1024}))
"""
CONNECT = """
import json, resource, sys
from scheduler.loads.user_process import UserProcess
from scheduler.loads.user_messages import BeginOrder, FailedAnswer
from scheduler.databases.database_registry import open_database
import select
url = sys.argv[1]
database = open_database(url, "x")
user = UserProcess(BeginOrder(database.params, "osdb-ir", 2000, 1, 0, (), {}, database.name))
said = []
while not said:
    select.select([user], [], [], 60.0)
    said = [answer.text for answer in user.answers() if isinstance(answer, FailedAnswer)]
user.end()
print(json.dumps({"said": said[0], "mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024}))
"""


def endless_packet(connection: Listening) -> None:
    """One packet that goes on in the next, for ever."""
    number = 1
    while True:
        connection.sendall(b"\xff\xff\xff" + bytes([number]))
        for _ in range(15):
            connection.sendall(LONG)
        connection.sendall(LONG[:-1])
        number = (number + 1) % 256


def mariadb(flood):
    def serve(connection: Listening) -> None:
        let_in(connection)
        answer_statements(connection, lambda said: flood(connection) if b"version" in said else None)

    return serve


def endless_rows(connection: Listening) -> None:
    connection.sendall(packet(1, b"\x01") + column(2, b"v") + packet(3, b"\xfe\0\0\x02\0"))
    number = 4
    while True:
        rows = b"".join(packet((number + each) % 256, b"\xfc\xff\xff"[:3] + b"y" * 65535) for each in range(16))
        connection.sendall(rows)
        number = (number + 16) % 256


def endless_packet_at_login(connection: Listening) -> None:
    connection.sendall(greeting())
    read_packet(connection)
    number = 2
    while True:
        connection.sendall(b"\xff\xff\xff" + bytes([number]))
        for _ in range(15):
            connection.sendall(LONG)
        connection.sendall(LONG[:-1])
        number = (number + 1) % 256


def postgresql(flood):
    def serve(connection: Listening) -> None:
        welcome(connection)
        answer_queries(connection, lambda said: flood(connection) if b"version" in said else None)

    return serve


def endless_data(connection: Listening) -> None:
    connection.sendall(described([b"v"]))
    connection.flood(data_row([LONG]))


def endless_small_data(connection: Listening) -> None:
    connection.sendall(described([b"v"]))
    connection.flood(data_row([b"1"]) * 10_000)


def long_message(connection: Listening) -> None:
    connection.sendall(b"D" + struct.pack(">I", 1_000_000_000))
    connection.flood(LONG)


def endless_notices(connection: Listening) -> None:
    connection.flood(message(b"N", b"SNOTICE\0C00000\0M" + b"n" * 60_000 + b"\0\0") * 16)


def endless_settings(connection: Listening) -> None:
    read_startup(connection)
    connection.sendall(message(b"R", struct.pack(">I", 0)))
    number = 0
    while True:
        number += 16
        connection.sendall(
            b"".join(message(b"S", f"p{number + each}".encode() + b"\0" + b"v" * 20_000 + b"\0") for each in range(16))
        )


FLOODS = {
    "mariadb, one packet": mariadb(endless_packet),
    "mariadb, rows": mariadb(endless_rows),
    "mariadb, at login": endless_packet_at_login,
    "postgresql, rows": postgresql(endless_data),
    "postgresql, small rows": postgresql(endless_small_data),
    "postgresql, one message": postgresql(long_message),
    "postgresql, notices": postgresql(endless_notices),
    "postgresql, at login": endless_settings,
}


def told(script: str, url: str, folder) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", script, url, str(LIMIT_MB)],
        cwd=REPO,
        env={**environment(folder), "PYTHONPATH": str(REPO)},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


ALWAYS = ["mariadb, rows", "postgresql, small rows", "postgresql, at login"]


@pytest.mark.parametrize("name", few(ALWAYS, [name for name in FLOODS if name not in ALWAYS]))
def test_flood_ends_with_an_error_and_in_bounded_memory(name, tmp_path):
    with hostile(FLOODS[name]) as server:
        found = told(LOOK, f"{name.partition(',')[0]}://me@127.0.0.1:{server.port}/db", tmp_path)
    assert found["mb"] < MOST_MB
    assert found["said"] == f"the database sent more than {LIMIT_MB} MB in answer to one statement"


def test_flood_ends_a_users_process_in_bounded_memory(tmp_path):
    with hostile(FLOODS["mariadb, at login"]) as server:
        found = told(CONNECT, f"mariadb://me@127.0.0.1:{server.port}/db", tmp_path)
    assert found["mb"] < 600  # the limit of a user's process, and what is not data in it
    assert "cannot" in found["said"] or "MemoryError" in found["said"]

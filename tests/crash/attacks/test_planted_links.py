"""The attack: whoever is the database's account plants links where root writes, reads or gives things away.

That account is `postgres`, which every superuser of the computer's own PostgreSQL is, too (COPY ... TO PROGRAM), or
`nobody`, which whatever has no account of its own is.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs import own_folder
from scheduler.databases.account import server_account
from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql
from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.errors import HostNotUsable
from tests.bad_records import STRANGER
from tests.contract.postgres_fixture import Database, home_in, memory_folder, open_folder
from tests.volume import few

pytestmark = [pytest.mark.crash, pytest.mark.skipif(os.geteuid() != 0, reason="needs root, whom this attacks")]

SECRET = "root:$6$a-hash-that-nobody-may-see\n"
ROOTS = 0o600
# Watches every path that this process touches, from the first start of a database to the last.
WATCH = """
import json, os, sys
from pathlib import Path
home, events = Path(sys.argv[1]), []
NAMES = {"open", "os.chown", "os.chmod", "os.rename", "os.remove", "os.mkdir", "os.link", "os.symlink", "os.truncate"}
def hook(name, args):
    if name in NAMES:
        events.append([name, *(os.fsdecode(a) if isinstance(a, (str, bytes, os.PathLike)) else a for a in args)])
from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql
server = BuiltInPostgresql(find_server(), home / "data")
sys.addaudithook(hook)
for _ in range(2):
    server.start()
    server.failure_details()
    assert server.password
    server.stop()
print(json.dumps([event for event in events]))
"""


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A folder with a database in it, made once."""
    with open_folder(memory_folder()) as folder, home_in(folder):
        server = BuiltInPostgresql(find_server(), folder / "data")
        server.start()
        server.stop()
        yield folder / "data"


@pytest.fixture
def data(made, tmp_path) -> Iterator[Path]:
    """A copy of it for one attack."""
    copy = made.with_name(f"data-{tmp_path.name}")
    subprocess.run(["cp", "-a", str(made), str(copy)], check=True)
    yield copy
    shutil.rmtree(copy)


@pytest.fixture
def victim(tmp_path) -> Path:
    path = tmp_path / "shadow"
    path.write_text(SECRET)
    path.chmod(ROOTS)
    return path


def as_older_versions_left_it(data: Path) -> None:
    """Give folder, password, log and settings to the server's account: what versions up to 0.1.0 did."""
    account = server_account()
    (data / "cluster/domtune.conf").write_text("port = 5432\nlisten_addresses = '127.0.0.1'\n")
    with (data / "cluster/postgresql.conf").open("a") as file:
        file.write("\ninclude = 'domtune.conf'\n")
    for path in (data, data / "password", data / "server.log", data / "cluster/domtune.conf"):
        os.chown(path, account.uid, account.gid)
    data.chmod(0o700)


def plant(link: Path, target: Path) -> None:
    account = server_account()
    link.unlink(missing_ok=True)
    link.symlink_to(target)
    os.chown(link, account.uid, account.gid, follow_symlinks=False)


def started(data: Path) -> list[str]:
    """Start it and ask it; return what a person is told."""
    server = BuiltInPostgresql(find_server(), data)
    server.start()
    try:
        assert Database(server).value("SELECT 1") == 1
        return server.notices
    finally:
        server.stop()


def untouched(victim: Path) -> bool:
    facts = victim.stat()
    return (victim.read_text(), facts.st_uid, facts.st_mode & 0o777) == (SECRET, 0, ROOTS)


def test_data_of_an_older_version_still_start_and_the_folder_is_ours_from_then_on(data):
    as_older_versions_left_it(data)
    password = (data / "password").read_text()
    assert started(data) == []
    assert (data / "password").read_text() == password
    owners = {path.name: path.stat().st_uid for path in (data, data / "password", data / "server.log")}
    assert set(owners.values()) == {0}, owners
    assert (data / "cluster").stat().st_uid == server_account().uid


def test_start_over_planted_links_writes_through_none(data, victim):
    as_older_versions_left_it(data)
    for name in ("cluster/domtune.conf", "cluster/postgresql.conf", "server.log", "server.log.old"):
        plant(data / name, victim)
    assert started(data) == []
    assert untouched(victim)


def test_start_over_links_for_its_password_reads_and_writes_none(data, victim):
    as_older_versions_left_it(data)
    for name in ("password", ".password.new"):
        plant(data / name, victim)
    notices = started(data)
    assert untouched(victim)
    assert "hash" not in " ".join(notices)
    assert (data / "password").lstat().st_uid == 0
    assert SECRET not in (data / "password").read_text()


@pytest.mark.parametrize("name", few(["PG_VERSION", "postmaster.pid"], ["global/pg_control"]))
def test_start_over_link_inside_reports_nothing_of_roots(data, victim, name):
    plant(data / "cluster" / name, victim)
    try:
        notices = started(data)
    except Exception as error:  # noqa: BLE001 - that it does not start is as good, if it says nothing
        notices = [str(error)]
    assert untouched(victim)
    assert "hash" not in " ".join(notices)


def test_pipe_that_never_ends_holds_no_one_up(data):
    (data / "cluster/PG_VERSION").unlink()
    os.mkfifo(data / "cluster/PG_VERSION")
    [notice] = started(data)
    assert "not a plain file (PG_VERSION)" in notice


def test_link_in_the_place_of_all_data_is_quarantined_and_nothing_behind_it_changes(data, victim):
    as_older_versions_left_it(data)
    (data / "cluster").rename(data / "elsewhere")
    plant(data / "cluster", victim.parent)
    [notice] = started(data)
    assert "moved to" in notice
    assert untouched(victim)
    assert [path.name for path in victim.parent.iterdir()] == ["shadow"]


def test_no_folder_of_roots_is_opened_or_closed_through_one_of_another_account():
    """DOMTUNE_HOME lies in that account's home (`sudo -E`): a link in the place of the database's folder, or above."""
    with open_folder() as folder:
        roots = folder / "roots"
        roots.mkdir(mode=0o755)
        theirs = folder / "theirs"
        theirs.mkdir()
        for link in (theirs / "data", theirs / "cache"):
            link.symlink_to(roots)
            os.lchown(link, STRANGER, STRANGER)
        os.chown(theirs, STRANGER, STRANGER)
        for way in (theirs / "data", theirs / "cache/data", theirs / "new/data"):
            with pytest.raises(HostNotUsable, match=rf"{theirs}\S*: it belongs to user {STRANGER}"):
                BuiltInPostgresql(find_server(), way).start()
            with pytest.raises(HostNotUsable, match=f"belongs to user {STRANGER}"):
                own_folder.make_lab_folder(way)
        assert (roots.stat().st_mode & 0o777, roots.stat().st_gid, list(roots.iterdir())) == (0o755, 0, [])
        assert sorted(path.name for path in theirs.iterdir()) == ["cache", "data"]


def test_account_cannot_plant_files_where_root_writes(data, victim):
    started(data)
    account = server_account()
    words = ["setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups"]
    for name in ("server.log", "password", "cluster.new", "anything"):
        tried = subprocess.run([*words, "ln", "-sfT", str(victim), str(data / name)], capture_output=True, check=False)
        assert tried.returncode != 0, name
        assert b"Permission denied" in tried.stderr, name
    read = subprocess.run([*words, "cat", str(data / "password")], capture_output=True, check=False)
    assert b"Permission denied" in read.stderr


def test_root_touches_no_path_inside_the_accounts_folder():
    with open_folder(memory_folder()) as folder:
        (folder / "home").mkdir()
        environment = {**os.environ, "DOMTUNE_HOME": str(folder / "home")}
        done = subprocess.run(
            [sys.executable, "-P", "-c", WATCH, str(folder)],
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        events = json.loads(done.stdout)
        theirs = (str(folder / "data/cluster"), str(folder / "data/cluster.new"))
        inside = [event for event in events if _leads_into(event, theirs)]
        assert len([event for event in events if event[0] == "open"]) > 20
        assert inside == []


def _leads_into(event: list, theirs: tuple[str, ...]) -> bool:
    """Return whether an event of the interpreter (its audit events) may end where the account decides."""
    name, *arguments = event
    paths = [argument for argument in arguments if isinstance(argument, str)]
    if name == "open":
        path, flags = arguments[0], arguments[2]
        if not isinstance(path, str):  # a descriptor
            return False
        followed = not flags & os.O_NOFOLLOW
        return path.startswith(tuple(f"{folder}/" for folder in theirs)) or (
            followed and (path in theirs or not path.startswith("/"))
        )
    moved = name in {"os.rename", "os.mkdir"}  # a name in our own folder changes, nothing is followed
    return any(path.startswith(tuple(f"{folder}/" for folder in theirs)) for path in paths) or (
        not moved and any(path in theirs for path in paths)
    )

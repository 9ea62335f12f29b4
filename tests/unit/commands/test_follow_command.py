"""`domtune follow URL`: refused before anything is written, asked, followed, given back; every line is a document."""

import json

import pytest

from scheduler import places
from scheduler.commands.observation_output import audit_words, gain_words
from scheduler.model.lock_owner import LockOwner
from scheduler.model.observation_documents import (
    FollowDone,
    FollowEnd,
    FollowGain,
    FollowMove,
    FollowPeriod,
    FollowStarted,
    ObservationWindow,
)
from scheduler.model.observation_documents import decode_observation_line as read
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord
from tests.unit.commands.conftest import make_call

WIDE = {
    "schema": "domtune-machine/1",
    "kind": "queue",
    "scheduler": "rtds",
    "loads": {
        "osdb-ir": {"io_in_ms": 1.0, "io_out_ms": 1.0, "guest_ms": 0.7},
        "osdb-oltp": {"io_in_ms": 0.2, "io_out_ms": 0.15, "guest_ms": 3.5},
    },
    "noise": "none",
}
LIMITED = {"dialect": "cgroup", "weight": 100, "quota_us": 50_000, "period_us": 100_000}
FREE = {**LIMITED, "quota_us": None}


@pytest.fixture
def turning(home):
    path = home / "wide.json"
    path.write_text(json.dumps(WIDE))
    return f"sim:{path}?load=osdb-ir,osdb-oltp&turn_s=1800&split=1:1&users=12"


def made_up(home, io=LIMITED, guest=LIMITED):
    path = home / "host.json"
    path.write_text(json.dumps({"io": io, "guest": guest}))
    return path


def test_simulated_load_is_followed_and_every_line_is_a_document(call, turning):
    words = ("follow", turning, "--yes", "--json", "--seed", "3", "--for")
    done = call(*words, "2h")
    assert done.code == 0, done.err
    lines = [read(line) for line in done.out.splitlines()]
    began, last = lines[0], lines[-1]
    assert isinstance(began, FollowStarted)
    assert isinstance(last, FollowDone)
    assert (began.simulated, began.mode, began.split.label, began.static.label) == (True, "caps", "1:1", "1:1")
    assert (began.account_pct, began.seed, began.database, began.guarded_by) == (50, 3, True, "process")
    assert began.worst_frac < 0.6
    assert sum(isinstance(line, ObservationWindow) for line in lines) == 2 * 360
    assert sum(isinstance(line, FollowPeriod) for line in lines) == 12
    moves = [line for line in lines if isinstance(line, FollowMove)]
    assert {move.arm for move in moves} == {"following", "static"}
    assert all(move.text for move in moves)
    assert (last.end, last.restored, last.error) == (FollowEnd.TIME, True, "")
    (gain,) = last.gains
    assert (gain.over, gain.blocks, gain.planned) == ("static", 6, True)
    assert gain.gain_frac > 0.1
    again, once = (call(*words, "20m").out for _ in range(2))
    assert again == once  # the same seed, the same machine: the same run


def test_people_learn_what_may_happen_and_what_came_of_it(call, turning):
    done = call("follow", turning, "--for", "1h", "--yes", "--seed", "3")
    assert done.code == 0, done.err
    assert done.out.startswith("SIMULATED")
    assert "DomTune may set splits from 1:5 to 5:1 at any time" in done.out
    assert "of the current throughput (estimate)" in done.out
    assert "Predicted gain: " in done.out
    assert "Finished." in done.out
    assert "The original settings of both domains are restored and verified." in done.out
    assert "\nSimulated: +" in done.out
    assert "easured" not in done.out


def test_nothing_is_written_where_no_one_was_asked(call, turning, home):
    path = made_up(home)
    for url in (turning, f"fake:{path}"):
        done = call("follow", url, "--for", "1h")
        assert (done.code, done.out) == (2, "")
        assert "cannot ask for confirmation" in done.err
        assert "--yes" in done.err
    assert read(call("follow", turning, "--for", "1h", "--json").out).error.startswith("--yes")


@pytest.mark.parametrize(("answer", "code"), [("no", 3), ("", 3), ("yes", 0)])
def test_only_a_yes_is_an_agreement(call, turning, monkeypatch, answer, code):
    monkeypatch.setattr("scheduler.commands.follow_command.is_at_terminal", lambda: True)
    done = call("follow", turning, "--for", "10m", stdin=answer + "\n")
    assert done.code == code, done.err
    assert ("Nothing was changed." in done.out) == (code == 3)


def test_program_is_asked_by_the_first_line_and_its_end_gives_the_host_back(home, clock, capfd, monkeypatch, turning):
    call = make_call(capfd, monkeypatch)  # its output becomes a pipe
    words = ("follow", turning, "--for", "7d", "--json", "--ask", "--seed", "3")
    began, done = map(read, call(*words, stdin="no\n").out.splitlines())
    assert isinstance(began, FollowStarted)
    assert (began.split.label, began.cpus) == ("1:1", 1)
    assert all("us" in found for found in (began.io_found, began.guest_found))
    assert (done.end, done.restored, done.moves) == (FollowEnd.DECLINED, True, 0)
    for said, reason in (("yes\n", "the window is gone"), ("yes\nstop\n", "stopped by the user")):
        ended = call(*words, stdin=said)
        done = read(ended.out.splitlines()[-1])
        assert (ended.code, done.end, done.reason, done.restored) == (3, FollowEnd.USER, reason, True)


REFUSED = [
    (("--for", "8d"), "from 1m to 7d"),
    (("--for", "0s"), "from 1m to 7d"),
    (("--for=-5m",), "from 1m to 7d"),
    (("--for", "1h", "--range", "1:2..1:2"), "1:9 to 9:1"),
    (("--for", "1h", "--range", "1:20..1:1"), "1:9 to 9:1"),
    (("--for", "1h", "--range", "1:2"), "not a range"),
    (("--for", "1h", "--range", "1:2..2:1", "--static", "1:3"), "outside of 1:2..2:1"),
    (("--for", "1h", "--static", "x"), "two positive numbers"),
    (("--for", "1h", "--account", "20"), "0, 10, 50"),
    (("--for", "1h", "--database", "postgresql://u@127.0.0.1:1/x"), "no server listens there"),
]


@pytest.mark.parametrize(("words", "why"), REFUSED)
def test_wrong_input_is_refused_with_what_is_allowed(call, home, words, why):
    path = made_up(home)
    before = path.read_bytes()
    done = call("follow", f"fake:{path}", "--yes", *words)
    assert done.code in (1, 2)
    assert why in done.err
    assert path.read_bytes() == before


HOSTS = [
    (FREE, FREE, "neither domain has a cap", 5),
    (LIMITED, FREE, "only one is limited", 5),
    ({**LIMITED, "quota_us": 90_000}, LIMITED, "1.40 CPUs of 1 that they share", 5),
    ({**LIMITED, "quota_us": 5_000}, {**LIMITED, "quota_us": 5_000}, "leave the I/O domain", 2),
    ({**LIMITED, "quota_us": 1_500}, {**LIMITED, "quota_us": 1_500}, "cannot be set with the current settings", 2),
]


@pytest.mark.parametrize(("io", "guest", "why", "code"), HOSTS)
def test_host_without_a_split_to_follow_is_refused(call, home, io, guest, why, code):
    path = made_up(home, io, guest)
    before = path.read_bytes()
    done = call("follow", f"fake:{path}", "--for", "1h", "--yes")
    assert (done.code, done.out) == (code, "")
    assert why in done.err
    assert path.read_bytes() == before
    if code == 5:
        assert "Caps leave unused CPU idle" in done.err


def test_host_that_another_holds_is_not_asked_about(call, home):
    url = f"fake:{made_up(home)}"
    host_id = call("probe", url, "--json").json["facts"]["host_id"]
    for holder, words in ((LockOwner.SWEEP, "another sweep holds"), (LockOwner.FOLLOW, "is being followed")):
        with HostLock(places.journal_dir(), host_id, holder):
            done = call("follow", url, "--for", "1h", "--yes", "--json")
        assert done.code == 5
        assert words in read(done.out).error


def test_made_up_host_is_held_by_a_local_guard_and_restored(call, home):
    path = made_up(home)
    before = json.loads(path.read_bytes())
    done = call("follow", f"fake:{path}", "--for", "90m", "--static", "1:2", "--account", "50", "--yes", "--json")
    assert done.code == 0, done.err
    lines = [read(line) for line in done.out.splitlines()]
    assert (lines[0].guarded_by, lines[0].database) == ("local_guard", False)
    assert "1:2" in {line.after.label for line in lines if isinstance(line, FollowMove)}
    assert lines[-1].restored
    assert json.loads(path.read_bytes()) == before
    assert not list(places.journal_dir().glob("*.json"))


def test_host_which_a_broken_sweep_left_is_not_asked_about(call, home):
    url = f"fake:{made_up(home)}"
    host_id = call("probe", url, "--json").json["facts"]["host_id"]
    record = UndoJournal(places.journal_dir(), host_id)
    originals = dict.fromkeys((IO, GUEST))
    record.arm(UndoRecord(host_url=url, host_id=host_id, context={}, originals=originals, armed_unix_s=1.0, pid=1))
    done = call("follow", url, "--for", "1h", "--yes")
    assert (done.code, done.out) == (5, "")
    assert "domtune restore" in done.err
    assert record.record() is not None


def test_time_of_a_transaction_is_reported_where_the_rate_is_the_clients():
    rate = {"gain_frac": 0.001, "low_frac": -0.01, "high_frac": 0.01, "blocks": 47}
    how = {"over": "static", "verdict": "better", **rate}
    times = {"time_frac": -0.177, "time_low_frac": -0.181, "time_high_frac": -0.173, "time_blocks": 46}
    reported = gain_words(FollowGain(**how, **times, planned=True, slack=True))
    assert reported.startswith(
        "-18 % (-18 to -17 %) time per transaction compared with the fixed split, in 46 pairs of comparison periods."
    )
    assert "The clients limit the throughput" in reported
    assert "time" not in gain_words(FollowGain(**how, **times, planned=True, slack=False))
    few = gain_words(FollowGain(**how, planned=False, slack=True, time_frac=-0.1, time_blocks=1))
    assert "-10 % time per transaction compared with the fixed split so far, in 1 pair of comparison periods" in few


def test_what_moves_promised_is_reported_next_to_what_was_seen():
    assert audit_words(FollowDone()) == ""
    assert audit_words(FollowDone(audited=12, audit_slope=0.87)).startswith(
        "87 % of the predicted gain of 12 changes was observed"
    )


def test_database_that_cannot_be_counted_is_reported_and_followed_without_only_when_nothing_hangs_on_it(call, home):
    words = ("follow", f"fake:{made_up(home)}", "--for", "5m", "--database", "postgresql://u@127.0.0.1:1/x", "--yes")
    assert "no server listens there" in call(*words).err
    done = call(*words, "--account", "0")
    assert done.code == 0, done.err
    assert "Commits are not counted: " in done.out
    assert "no server listens there" in done.out
    assert "Finished." in done.out

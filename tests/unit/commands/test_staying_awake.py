"""The computer stays awake while a run is on, with a real small program in the place of systemd-inhibit."""

import os

import pytest

from scheduler.commands.staying_awake import stay_awake
from scheduler.waiting import wait_until

# As systemd-inhibit(1): take the options, run the command, release the lock when the command has ended.
_INHIBIT = """#!/bin/sh
echo "$@" >>"$INHIBITED"
while [ "${1#--}" != "$1" ]; do shift; done
"$@"
echo released >>"$INHIBITED"
"""


@pytest.fixture
def inhibited(tmp_path, monkeypatch):
    """Return the record of a `systemd-inhibit` on PATH."""
    program, record = tmp_path / "systemd-inhibit", tmp_path / "inhibited"
    program.write_text(_INHIBIT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("INHIBITED", str(record))
    return record


def test_computer_is_kept_awake_until_the_run_ends(inhibited):
    reported = []
    with stay_awake("fake:", "a sweep", reported.append):
        (words,) = inhibited.read_text().splitlines()
        assert words.startswith("--what=sleep:idle --who=DomTune --mode=block --why=DomTune runs a sweep /")
    assert wait_until(lambda: inhibited.read_text().endswith("\nreleased\n"), 10.0)
    assert reported == []


def test_simulated_run_does_not_keep_the_computer_awake(inhibited):
    with stay_awake("sim:", "a sweep", print):
        pass
    assert not inhibited.exists()


def test_missing_program_is_reported_and_the_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    reported = []
    with stay_awake("fake:", "a watch", reported.append):
        pass
    assert reported == ["This computer may fall asleep during the run, because systemd-inhibit is not installed."]


def test_refused_inhibitor_is_reported_and_the_run_goes_on(inhibited):
    (inhibited.parent / "systemd-inhibit").write_text("#!/bin/sh\necho 'Access denied' >&2\nexit 1\n")
    reported = []
    with stay_awake("fake:", "a watch", reported.append):
        pass
    assert reported == ["This computer may fall asleep during the run, because logind did not accept an inhibitor."]

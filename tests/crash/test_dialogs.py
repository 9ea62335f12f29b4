"""Dialogs under a real X server: the platform on which what Python destroyed in the wrong thread ended the window."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler.model.documents import RunOutcome
from tests.ui.test_home_page import EQUIVALENT, RECOMMEND, put_sweep
from tests.volume import times

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.ui, pytest.mark.crash]


@pytest.mark.timeout(times(300, 3_600))
def test_closed_dialogs_leave_nothing_for_a_collection_in_the_worker(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    put_sweep("one", 0, RunOutcome.COMPLETED, RECOMMEND)
    put_sweep("two", 1, RunOutcome.COMPLETED, EQUIVALENT)
    driver = [sys.executable, "-X", "faulthandler", "-m", "tests.crash.dialog_driver", str(times(1, 200))]
    done = subprocess.run(
        ["xvfb-run", "-a", "-s", "-screen 0 1400x900x24", *driver],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "xcb"},
        capture_output=True,
        text=True,
        timeout=times(240, 3_000),
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout} {done.stderr}"
    assert len(done.stdout.splitlines()) == 14
    assert "Error" not in done.stderr

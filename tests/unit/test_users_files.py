"""The suite does not touch the files of whoever runs it."""

import subprocess
import sys
from pathlib import Path

import platformdirs

from scheduler import places

ROOT = Path(__file__).parents[2]
LOGGING = """
import logging
from scheduler.commands.parser import log_to_file
from scheduler.log_file import LogFile

def logs():
    return [each for each in logging.getLogger().handlers if isinstance(each, LogFile)]

def test_first():
    log_to_file(verbose=False)
    assert logs()

def test_then():
    assert not logs()
    assert logging.raiseExceptions
"""


def test_what_has_no_home_of_its_own_has_the_suites_and_never_the_users():
    assert places.home_dir() is not None
    assert not places.state_dir().is_relative_to(platformdirs.user_state_path("domtune", appauthor=False))


def test_log_of_a_command_that_a_test_called_ends_with_the_test(tmp_path):
    file = tmp_path / "test_logging.py"
    file.write_text(LOGGING, encoding="utf-8")
    words = ["-m", "pytest", "-p", "tests.users_files", "-c", "/dev/null", "--rootdir", tmp_path, file]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert "2 passed" in done.stdout, done.stdout

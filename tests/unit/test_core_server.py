"""A core that the server forks is a core that Python started, as far as a test can see."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from scheduler.waiting import wait_until

CORE = [sys.executable, "-P", "-m", "scheduler", "core"]


@pytest.fixture
def core(forked_cores: None, tmp_path: Path):
    environment = {**os.environ, "DOMTUNE_HOME": str(tmp_path)}
    with subprocess.Popen(
        CORE, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as made:
        yield made
        made.kill()


def test_forked_core_shows_line_folder_environment_and_session(core: subprocess.Popen, tmp_path: Path):
    process = psutil.Process(core.pid)
    assert process.ppid() == os.getpid()
    wait_until(lambda: process.cmdline() == CORE, 20)  # the core writes it after its fork
    assert process.cmdline() == CORE
    assert process.cwd() == str(tmp_path)
    assert process.environ()["DOMTUNE_HOME"] == str(tmp_path)
    assert os.getsid(core.pid) == core.pid


def test_forked_core_killed_returns_its_signal(core: subprocess.Popen):
    os.kill(core.pid, signal.SIGKILL)
    assert core.wait(20) == -signal.SIGKILL


def test_forked_command_answers_on_its_pipes(forked_cores: None, tmp_path: Path):
    words = [sys.executable, "-P", "-m", "scheduler"]
    environment = {**os.environ, "DOMTUNE_HOME": str(tmp_path)}
    done = subprocess.run([*words, "restore", "--json"], env=environment, capture_output=True, check=True, timeout=20)
    assert json.loads(done.stdout)["clean"] is True
    refused = subprocess.run([*words, "no-word"], env=environment, capture_output=True, check=False, timeout=20)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"no-word" in refused.stderr


PROGRAM = "import sys; sys.stdout.write(sys.argv[1] + sys.stdin.read()); sys.exit('scheduler.run' in sys.modules)"


def test_program_without_its_fixture_is_a_start_of_python(forked_cores: None):
    """It comes before the next test: that fixture ends with the module."""
    command = [sys.executable, "-c", PROGRAM, "word"]
    done = subprocess.run(command, input="", text=True, capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (0, "word")


def test_forked_program_has_its_words_and_input(forked_programs: None):
    """The server has imported the core, a fresh Python has not: the exit code tells which of them ran the program."""
    command = [sys.executable, "-c", PROGRAM, "word"]
    done = subprocess.run(command, input=" input", text=True, capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (1, "word input", "")

"""Commands on this computer: quoting, exit codes, time limits, ending."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from scheduler.errors import HostUnreachable
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.hosts.remote.shell import Answer

NASTY = "a b;$(touch x)'\"\n`id` \\ *"


@pytest.fixture
def shell():
    shell = LocalShell()
    yield shell
    shell.close()


def test_that_arguments_are_data(shell, tmp_path):
    assert shell.run(["printf", "%s|", NASTY, "", "-n"]).out == f"{NASTY}||-n|"


def test_that_exit_code_output_and_complaint_are_kept_apart(shell):
    answer = shell.run(["sh", "-c", "echo out; echo err >&2; exit 7"])
    assert answer == Answer(7, "out\n", "err\n")
    assert answer.said == "out\nerr"


def test_that_standard_input_arrives_and_ends(shell):
    assert shell.run(["cat"], stdin="two\nlines\n").out == "two\nlines\n"


def test_that_a_missing_program_is_an_answer_of_127(shell):
    answer = shell.run(["/nowhere/xl", "list"])
    assert answer.code == 127
    assert "/nowhere/xl" in answer.err


def test_that_a_command_beyond_its_time_is_given_up_with_its_children(shell, tmp_path):
    began_s = time.monotonic()
    mark = tmp_path / "mark"
    with pytest.raises(HostUnreachable, match=r"this computer: no answer within 0\.3 s"):
        shell.run(["sh", "-c", f"(sleep 1; touch {mark}) & wait"], timeout_s=0.3)
    assert time.monotonic() - began_s < 3
    threading.Event().wait(1.2)
    assert not mark.exists()


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_that_a_command_beyond_its_time_that_may_not_be_signalled_is_told_all_the_same(shell, tmp_path, monkeypatch):
    def refuse(_pid, _signal):
        raise PermissionError(1, "Operation not permitted")  # what the kernel says of root's sudo to another account

    go_on, ended = tmp_path / "go on", tmp_path / "ended"
    wait = 'until [ -e "$0" ]; do sleep 0.1; done; touch "$1"'
    try:
        with monkeypatch.context() as without_rights:
            without_rights.setattr(os, "kill", refuse)
            without_rights.setattr(os, "killpg", refuse)
            with pytest.raises(HostUnreachable, match=r"no answer within 0\.3 s"):
                shell.run(["sh", "-c", wait, str(go_on), str(ended)], timeout_s=0.3)
            shell.close()
    finally:
        go_on.touch()  # it ends by itself
    for _ in range(100):
        if ended.exists():
            break
        threading.Event().wait(0.1)
    assert ended.exists()


def test_that_closing_ends_what_runs_in_another_thread(shell):
    started = threading.Event()

    def long():
        started.set()
        return shell.run(["sleep", "30"], timeout_s=30)

    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(long)
        started.wait()
        threading.Event().wait(0.2)
        shell.close()
        assert answer.result(timeout=5).code == 128 + 9


def test_that_a_command_left_in_the_background_holds_nobody_up(shell):
    began_s = time.monotonic()
    assert shell.run(["sh", "-c", "setsid sleep 3 </dev/null >/dev/null 2>&1 & echo started"]).out == "started\n"
    assert time.monotonic() - began_s < 2


def test_that_words_of_other_languages_do_not_change_answers(shell, monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert shell.run(["printenv", "LC_ALL"]).out == "C\n"

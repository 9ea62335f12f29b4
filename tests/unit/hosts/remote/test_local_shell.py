"""Commands on this computer: quoting, exit codes, time limits, ending."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from scheduler.errors import HostNotUsable, HostUnreachable
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.hosts.remote.shell import CommandResult

NASTY = "a b;$(touch x)'\"\n`id` \\ *"


def wait_until(fine, complaint):
    deadline_s = time.monotonic() + 60
    while not fine():
        assert time.monotonic() < deadline_s, complaint
        threading.Event().wait(0.02)


@pytest.fixture
def shell():
    shell = LocalShell()
    yield shell
    shell.close()


def test_arguments_are_data(shell, tmp_path):
    assert shell.run(["printf", "%s|", NASTY, "", "-n"]).out == f"{NASTY}||-n|"


def test_exit_code_output_and_complaint_are_kept_apart(shell):
    answer = shell.run(["sh", "-c", "echo out; echo err >&2; exit 7"])
    assert answer == CommandResult(7, "out\n", "err\n")
    assert answer.said == "out\nerr"


def test_standard_input_arrives_and_ends(shell):
    assert shell.run(["cat"], stdin="two\nlines\n").out == "two\nlines\n"


def test_missing_program_is_an_answer_of_127(shell):
    answer = shell.run(["/nowhere/xl", "list"])
    assert answer.code == 127
    assert "/nowhere/xl" in answer.err


def test_command_beyond_its_time_is_given_up_with_its_children(shell, tmp_path):
    began_s, child = time.monotonic(), tmp_path / "child"
    with pytest.raises(HostUnreachable, match=r"this computer: no answer within 1 s"):
        shell.run(["sh", "-c", f"sleep 30 & echo $! >{child}; wait"], timeout_s=1)
    assert time.monotonic() - began_s < 20
    wait_until(lambda: not psutil.pid_exists(int(child.read_text())), "its child goes on")


def test_command_beyond_its_time_that_may_not_be_signalled_is_reported_all_the_same(shell, tmp_path, monkeypatch):
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
    wait_until(ended.exists, "it does not end")


def test_closing_ends_what_runs_in_another_thread(shell, tmp_path):
    runs = tmp_path / "runs"
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(shell.run, ["sh", "-c", f"touch {runs}; exec sleep 90"], timeout_s=90)
        wait_until(runs.exists, "it does not start")
        shell.close()
        assert answer.result(timeout=60).code == 128 + 9


def test_command_left_in_the_background_holds_no_one_up(shell):
    began_s = time.monotonic()
    assert shell.run(["sh", "-c", "setsid sleep 8 </dev/null >/dev/null 2>&1 & echo started"]).out == "started\n"
    assert time.monotonic() - began_s < 6


def test_words_of_other_languages_do_not_change_answers(shell, monkeypatch):
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert shell.run(["printenv", "LC_ALL"]).out == "C\n"


@pytest.mark.parametrize("where", ["", ">&2"])
def test_command_without_an_end_to_what_it_reports_is_ended_with_words(shell, where):
    before = psutil.Process().memory_info().rss
    with pytest.raises(HostNotUsable, match="'sh' answers with more than 16 MiB"):
        shell.run(["sh", "-c", f"exec yes {where}"], timeout_s=60)
    assert psutil.Process().memory_info().rss - before < 256 << 20
    wait_until(lambda: not [child for child in psutil.Process().children() if child.name() == "yes"], "yes goes on")


def test_long_input_and_a_long_output_pass_each_other(shell):
    text = "0123456789abcde\n" * 200_000
    assert shell.run(["cat"], stdin=text, timeout_s=60).out == text


def test_command_that_does_not_listen_is_no_error(shell):
    assert shell.run(["echo", "on"], stdin="x" * 1_000_000, timeout_s=60) == CommandResult(0, "on\n", "")


def test_command_that_has_reported_everything_and_stays_is_given_up(shell):
    begun_s = time.monotonic()
    with pytest.raises(HostUnreachable, match="no answer within 1 s"):
        shell.run(["sh", "-c", "exec >&- 2>&-; sleep 60"], timeout_s=1.0)
    assert time.monotonic() - begun_s < 30

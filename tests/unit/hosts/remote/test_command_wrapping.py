"""One string for any login shell, and the answer out of the noise."""

import shutil
import subprocess

import pytest

from scheduler.hosts.remote.command_wrapping import extract_answer, new_mark, wrap_command
from scheduler.hosts.remote.shell import CommandResult

NASTY = [
    "a b;$(touch x)'\"",
    "",
    "two\nlines",
    "!history",
    "back\\slash \\' \\\\",
    "$HOME `id` * ~ {a,b} %s",
    "-n",
    "ümlaut",
]
SHELLS = ["sh", "dash", "bash", "tcsh", "fish"]


def through(shell: str, argv: list[str], *, noise: str = "", stdin: str = "") -> CommandResult | None:
    mark = new_mark()
    assert shutil.which(shell), f"package {shell} is missing (packaging/apt-packages tests)"
    done = subprocess.run(
        [shell, "-c", f"{noise}{wrap_command(argv, mark)}"], input=stdin, capture_output=True, text=True, check=False
    )
    return extract_answer(done.stdout, done.stderr, mark)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("word", NASTY)
def test_every_login_shell_passes_arguments_on_as_data(shell, word):
    assert through(shell, ["printf", "%s|", word, "end"]) == CommandResult(0, f"{word}|end|", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_codes_input_and_complaints_come_through(shell):
    argv = ["sh", "-c", "cat; echo bad >&2; exit 90"]
    assert through(shell, argv, stdin="in\n") == CommandResult(90, "in\n", "bad\n")


def test_what_the_login_reports_is_not_the_answer():
    noise = "echo Welcome; echo You have mail >&2; "
    assert through("sh", ["echo", "xl"], noise=noise) == CommandResult(0, "xl\n", "")


def test_output_without_a_last_newline_is_whole():
    assert through("sh", ["printf", "no newline"]) == CommandResult(0, "no newline", "")


def test_answer_cut_short_is_no_answer():
    mark = new_mark()
    assert extract_answer(f"{mark}\nName  ID\nDomain-0", "", mark) is None
    assert extract_answer("This account is currently not available.\n", "", mark) is None
    assert extract_answer(f"{mark}\nout{mark} ", "", mark) is None


def test_ssh_own_failure_is_not_taken_for_the_commands():
    assert through("sh", ["sh", "-c", "exit 255"]) == CommandResult(255, "", "")


@pytest.mark.parametrize("code", ["²", "٣", "256", "-1", "9" * 5000, "1_0", ""])
def test_what_is_no_exit_code_is_no_answer(code):
    mark = new_mark()
    assert extract_answer(f"{mark}\nout\n{mark} {code}\n", f"{mark}\n", mark) is None

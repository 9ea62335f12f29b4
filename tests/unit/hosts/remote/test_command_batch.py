"""Several commands in one session."""

import pytest

from scheduler.errors import HostError, HostUnreachable
from scheduler.hosts.remote.command_batch import run_all
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.hosts.remote.shell import CommandResult


def test_every_command_has_its_own_answer():
    commands = [["printf", "%s", "a b;$(id)"], ["sh", "-c", "echo no >&2; exit 3"], ["true"], ["echo", "last"]]
    assert run_all(LocalShell(), commands) == [
        CommandResult(0, "a b;$(id)", ""),
        CommandResult(3, "", "no\n"),
        CommandResult(0, "", ""),
        CommandResult(0, "last\n", ""),
    ]


def test_command_that_ends_the_shell_ends_only_itself():
    first, second = run_all(LocalShell(), [["sh", "-c", "kill $$"], ["echo", "on"]])
    assert (first.code, second.out) == (128 + 15, "on\n")


def test_no_command_eats_what_is_meant_for_the_next():
    assert [answer.out for answer in run_all(LocalShell(), [["cat"], ["echo", "x"]])] == ["", "x\n"]


def test_all_share_one_limit():
    with pytest.raises(HostUnreachable):
        run_all(LocalShell(), [["sleep", "1"], ["sleep", "1"]], timeout_s=1.2)


@pytest.mark.parametrize("code", ["²", "256", "-1", "9" * 5000, ""])
def test_what_is_no_exit_code_is_an_error(code):
    """A command of the host may print what ends our part of the line."""

    class Noisy(LocalShell):
        def run(self, argv, *, timeout_s=20.0, stdin=""):
            answer = super().run(argv, timeout_s=timeout_s, stdin=stdin)
            mark = answer.err.split("\n")[0]
            return CommandResult(0, answer.out.replace(f"{mark} 0", f"{mark} {code}"), answer.err)

    with pytest.raises(HostError, match="which is none"):
        run_all(Noisy(), [["true"]])

"""`domtune try`: the plan's own command is run once somebody agrees, and each line says what was understood of it."""

import io
import json
import sys

import pytest

from scheduler.commands.parser import main

PLAN = """host = 'local:'
[[load]]
kind = 'command'
command = {command}
pattern = '(?P<rate>[0-9]+) req, (?P<latency_ms>[0-9.]+) ms'
unit = 'requests/s'
"""


@pytest.fixture
def try_it(tmp_path, capsys):
    def try_it(script: str, *words: str) -> tuple[int, str, str]:
        plan = tmp_path / "plan.toml"
        plan.write_text(PLAN.format(command=json.dumps(f"sh -c {json.dumps(script)}")))
        code = main(["try", str(plan), "--seconds", "1", *words])
        reported = capsys.readouterr()
        return code, reported.out, reported.err

    return try_it


TALKS = "echo hello; echo 1500 req, 2.50 ms; sleep 60"


def test_every_line_reports_what_is_understood(try_it):
    code, out, err = try_it(TALKS, "--allow-command")
    assert code == 0
    first, second, *_, last = out.splitlines()
    assert "ignored" in first
    assert first.endswith("hello")
    assert "1.50k requests/s, latency 2.5 ms" in second
    assert last == "read by the pattern"
    assert "1 of 2 lines counted, 1.50k requests/s on average" in out
    assert "By the plan, a command runs on this computer" in err


def test_it_is_one_object_for_machines(try_it):
    code, out, _ = try_it(TALKS, "--allow-command", "--json")
    reported = json.loads(out)
    assert code == 0
    assert [line["figure"] for line in reported["lines"]] == [None, 1500.0]
    assert (reported["unit"], reported["ended"], reported["error"]) == ("requests/s", "", "")


def test_nothing_is_run_unseen(try_it, tmp_path):
    code, out, err = try_it(f"touch {tmp_path}/it-ran")
    assert (code != 0, out) == (True, "")
    assert f"touch {tmp_path}/it-ran" in err
    assert "--allow-command" in err
    assert not (tmp_path / "it-ran").exists()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 7 req, 1 ms; exit 3", "the program ended (status 3)"),
        ("echo 7; sleep 60", "the pattern matches no line"),
        (
            "for i in 1 2 3 4 5 6 7 8; do echo 4 req, 1 ms; done; sleep 60",
            "a sweep would refuse this: the figure never",
        ),
        (
            "for i in 1 2 3 4 5 6 7 8 9; do echo $i req, 1 ms; done; sleep 60",
            "a sweep would refuse this: the figure only",
        ),
        ("echo 1.5 req, 1 ms; sleep 60", "takes '5' out of '1.5'"),
        ("echo 1,500 req, 2 ms; sleep 60", "takes '500' out of '1,500'"),
    ],
)
def test_what_would_fail_in_a_sweep_fails_here(try_it, script, said):
    code, out, _ = try_it(script, "--allow-command")
    assert code != 0
    assert said in out


def test_plan_without_a_command_and_endless_times_are_refused(tmp_path, capsys):
    plan = tmp_path / "plan.toml"
    plan.write_text("host = 'local:'\n")
    assert main(["try", str(plan)]) != 0
    assert "has no command of yours" in capsys.readouterr().err
    assert main(["try", str(plan), "--seconds", "0"]) != 0
    assert "outside 1..600" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (b'{"pattern": "(?P<rate>[0-9]+)", "text": "12"}', ""),
        (b'{"pattern": "(", "text": "12"}', "is no pattern"),
        (b'{"pattern": "(?P<rate>(o+)+)Z", "text": "oooooooooooooooooooooooooooooooooooooooo"}', "takes more than"),
        (b'{"command": "reboot"}', "no question"),
        (b"\xff", "no question"),
    ],
)
def test_window_has_an_answer_whatever_it_asks(asked, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(asked)))
    assert main(["understand"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert said in reported["error"]
    assert bool(reported["lines"]) is not bool(said)

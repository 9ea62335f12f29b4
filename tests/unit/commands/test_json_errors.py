"""Laws of `--json`: whatever goes wrong, one object is printed, and it says what."""

import argparse
import json
import os
import subprocess
import sys

import pytest

from scheduler.commands import parser
from scheduler.commands.arguments import build_parser
from scheduler.errors import StoreError


def words_with_json():
    (choices,) = (
        action.choices for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    return {
        word: parser
        for word, parser in choices.items()
        if any("--json" in act.option_strings for act in parser._actions)
    }


# What is wrong with each of them; `restore` finds a file where its records should be.
WRONG = {
    "apply": ["nothing"],
    "class": ["collect", "nothing"],
    "check-clients": ["tcp://10.0.0.1:8786"],
    "check-database": ["oracle://h/x"],
    "follow": ["vax:", "--for", "1h", "--yes"],
    "import": ["nothing"],
    "lesson": ["show", "nothing"],
    "probe": ["vax:"],
    "restore": [],
    "revert": ["vax:"],
    "run": ["nothing.toml"],
    "runs": ["nothing"],
    "trust": ["vax:"],
    "try": ["nothing.toml"],
    "watch": ["vax:"],
}
MORE = [
    ("run", ["nothing.toml", "--dry-run"]),
    ("run", ["-", "--dry-run"]),
    ("restore", ["--forget", "nothing"]),
    ("restore", ["--list"]),
    ("revert", ["--list"]),
    ("trust", ["xapi://127.0.0.1:1"]),
    ("trust", ["xl+ssh://root@127.0.0.1:1", "--fingerprint", "SHA256:x"]),
]
ELSEWHERE = {"lab"}  # starts an emulator: its errors are of no input, and are tried below as those of every word


def test_every_word_is_tried():
    assert {*WRONG, *ELSEWHERE} == {*words_with_json()}


def said(done):
    assert done.code, done.out
    assert done.out.endswith("\n")
    assert done.out.count("\n") == 1, done.out
    answer = json.loads(done.out)
    reported = [answer.get(name) for name in ("error", "reason", "text")] + [
        item["text"] for item in answer.get("items", ())
    ]
    reported += [refused["error"] for refused in answer.get("refused", ())]
    assert any(reported), answer
    return answer


@pytest.mark.parametrize(("word", "rest"), [*WRONG.items(), *MORE])
def test_error_is_one_object(call, home, word, rest):
    if word in {"restore", "revert"}:
        (home / "state").write_text("a file in the way")
    said(call(word, *rest, "--json", stdin="not = a plan"))


def least(parser):
    """Return the fewest arguments that a word takes."""
    return [
        act.choices[0] if act.choices else "x"
        for act in parser._actions
        if not act.option_strings and act.nargs in (None, "+")
    ]


@pytest.mark.parametrize("word", words_with_json())
@pytest.mark.parametrize(
    ("error", "code"), [(StoreError("no", hint="do"), 1), (KeyError("x"), 1), (KeyboardInterrupt(), None)], ids=type
)
def test_whatever_ends_a_word_is_one_object(call, monkeypatch, word, error, code):
    def broken(_):
        raise error

    monkeypatch.setattr(parser, "_command_function", lambda _: broken)
    monkeypatch.setattr(parser, "enter_scope", lambda *_: None)
    done = call(word, *least(words_with_json()[word]), "--json")
    answer = said(done)
    assert code in (None, done.code)
    assert "x" not in answer.get("error", "").split()  # what a bug's message holds, nobody knows


@pytest.mark.parametrize("word", words_with_json())
def test_command_line_that_cannot_be_read_is_one_object(call, word):
    done = call(word, "--json", "--no-such-option")
    assert done.code == 2
    assert said(done)["error"]
    assert "--no-such-option" in done.err or "required" in done.err


@pytest.mark.parametrize(
    ("rest", "how"),
    [
        (["runs"], "closed"),
        (["runs", "--json"], "full"),
        (["run", "-", "--dry-run", "--json"], "closed"),
        (["probe", "vax:", "--json"], "full"),
    ],
)
def test_command_with_lost_output_reports_it(home, rest, how):
    lost = ">&-" if how == "closed" else ">/dev/full"
    command = ["sh", "-c", f'exec "$0" -m scheduler "$@" {lost} <&-', sys.executable, *rest]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env={**os.environ})
    assert done.returncode == 1
    assert "could not be printed" in done.stderr
    assert "Traceback" not in done.stderr
    assert "a bug" not in done.stderr


@pytest.mark.parametrize("body", [b"\xff\xfe\n", b"a\0b\n", b"x" * 5000, "grün\n".encode("latin-1")])
def test_what_can_be_no_password_is_refused(call, body):
    done = call("check-database", "postgresql://127.0.0.1:1/x", "--json", stdin=body)
    assert "standard input: holds no password" in done.json["text"]
    assert done.code == 2

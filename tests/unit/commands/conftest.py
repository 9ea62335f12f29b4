"""A home of its own, and the command line called in this process."""

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scheduler.commands.parser import main
from tests.simulated_time import simulated_time


class Called:
    """What a call printed and how it exited."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> dict:
        return json.loads(self.out)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def clock():
    """Let time pass only when a sweep waits, on a fake host as on a simulated one."""
    with simulated_time() as clock:
        yield clock


@pytest.fixture
def call(home, clock, capsys, monkeypatch) -> Callable[..., Called]:
    return make_call(capsys, monkeypatch)


def make_call(capture, monkeypatch) -> Callable[..., Called]:
    def call(*words: str, stdin: str | bytes = "") -> Called:
        body = stdin if isinstance(stdin, bytes) else stdin.encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(body), encoding="utf-8"))
        monkeypatch.setattr("scheduler.commands.parser.log_to_file", lambda verbose: None)
        try:
            code = main(list(words))
        except SystemExit as error:
            code = int(error.code or 0)
        return Called(code, *capture.readouterr())

    return call


@pytest.fixture
def plan(home):
    """Return the path of a plan for a made-up host, with replacements."""

    def plan(**replaced: str) -> str:
        lines = {
            "host": f'host = "fake:{home / "host.json"}"',
            "splits": 'splits = ["1:1", "1:2"]',
            "windows": 'protocol = "grid"\nrepeats = 1\nmeasure_s = 1\nsettle_s = 0\nload_settle_s = 0',
            "load": '[[load]]\nkind = "osdb-ir"',
        }
        path = home / "plan.toml"
        path.write_text("\n".join({**lines, **replaced}.values()))
        return str(path)

    return plan


@pytest.fixture(scope="module")
def _first_run() -> list[tuple[Called, Path]]:
    return []


@pytest.fixture
def call_once(call, home, _first_run, tmp_path_factory) -> Callable[..., Called]:
    """Make a call for the first test of a module; give later tests its output and a copy of its home."""

    def call_once(*words: str) -> Called:
        if _first_run:
            shutil.copytree(_first_run[0][1], home, dirs_exist_ok=True)
        else:
            kept = tmp_path_factory.mktemp("first") / "home"
            _first_run.append((call(*words), kept))
            shutil.copytree(home, kept)
        return _first_run[0][0]

    return call_once

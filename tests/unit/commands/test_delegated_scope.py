"""Enter a delegated scope for this computer only: other hosts need no control groups here."""

import argparse
from pathlib import Path

import pytest

from scheduler.commands import delegated_scope
from scheduler.hosts.local import cgroup_rights

PLAN = """
name = "x"
host = "{host}"
splits = ["1:1"]
[[load]]
kind = "osdb-ir"
"""


class EnteredScope(Exception):
    pass


@pytest.fixture
def entered(monkeypatch, tmp_path):
    """Return whether a command line would start in a scope, on a computer where a scope is needed."""

    def execute(program, words):
        raise EnteredScope

    monkeypatch.setattr(delegated_scope, "privilege_prefix", lambda: ["systemd-run"])
    monkeypatch.setattr(delegated_scope.os, "execvp", execute)

    def entered(word: str, **arguments: str) -> bool:
        monkeypatch.setattr(delegated_scope.os, "environ", {})
        try:
            delegated_scope.enter_scope(argparse.Namespace(word=word, **arguments), [word])
        except EnteredScope:
            return True
        return False

    return entered


@pytest.mark.parametrize(("host", "expected"), [("local:", True), ("sim:", False), ("xl+ssh://root@h", False)])
def test_enter_scope_starts_scope_for_this_computer_only(entered, tmp_path, host, expected):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(host=host))
    assert entered("probe", url=host) is expected
    assert entered("apply", run=host) is expected
    assert entered("run", plan=str(plan)) is expected
    assert not entered("restore")


@pytest.mark.parametrize(
    ("word", "arguments"),
    [
        ("core", {}),
        ("apply", {"run": "last"}),
        ("run", {"plan": "-"}),
        ("run", {"plan": ""}),
        ("run", {"plan": "/none"}),
    ],
)
def test_enter_scope_starts_scope_where_host_is_unknown(entered, word, arguments):
    assert entered(word, **arguments)


def test_scope_command_is_none_without_proc(monkeypatch):
    monkeypatch.setattr(
        cgroup_rights, "Path", lambda *parts: Path(*(str(part).replace("/proc", "/no-proc") for part in parts))
    )
    assert cgroup_rights.scope_command() is None

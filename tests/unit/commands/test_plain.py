"""A terminal shows names and never obeys them."""

import ast
import logging
from pathlib import Path

import pytest

from scheduler.commands.command_output import print_lines
from scheduler.commands.results_table import align_columns
from scheduler.model.terminal_text import replace_controls, to_single_line

ROOT = Path(__file__).resolve().parents[3]
EVIL = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202eb"


def test_nothing_that_a_terminal_obeys_is_printed(capfd):
    print_lines(EVIL, "two\nlines\tand a tab, \u00fcber")
    out = capfd.readouterr().out
    assert not set("\x1b\x07\x9b\u202e") & set(out)
    assert "two\nlines\tand a tab, \u00fcber" in out


def test_name_stays_in_its_row():
    rows = align_columns([["name", "x"], [f"{EVIL}\nrm", "y"]])
    assert len(rows) == 2
    assert "\n" not in rows[1]
    assert to_single_line("a\r\nb") == "a? b"


def test_error_is_printed_as_plainly(capfd, tmp_path, monkeypatch):
    from scheduler.commands.parser import main

    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    assert main(["run", f"{tmp_path}/no-plan-{EVIL}"]) == 2
    assert "\x1b" not in capfd.readouterr().err


@pytest.mark.parametrize("path", sorted((ROOT / "scheduler/commands").glob("*.py")), ids=lambda path: path.name)
def test_every_word_prints_through_what_cleans(path):
    """`print` is for constants and for what `replace_controls` returns; everything else goes through `print_lines`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if called in {"print", "self._bar.print"}:
            names = [part for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
            cleaned = "replace_controls(" in ast.unparse(node)
            numbers = {"version('domtune')", "self._mark", "length_words(estimate_sweep(spec))"}
            assert cleaned or {ast.unparse(name.value) for name in names} <= numbers, ast.unparse(node)


def test_logged_name_neither_makes_a_line_of_its_own_nor_reaches_a_terminal(capfd, tmp_path, monkeypatch):
    from scheduler.commands.parser import log_to_file

    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    root = logging.getLogger()
    before = root.handlers[:]
    try:
        log_to_file(verbose=False)
        logging.getLogger("a.host").warning("no %s", f"{EVIL}\n2026-11-24 10:00:00,000 1 INFO b: all is well")
    finally:
        for handler in set(root.handlers) - set(before):
            root.removeHandler(handler)
            handler.close()
    for said in (capfd.readouterr().err, (tmp_path / "state/domtune.log").read_text()):
        [line] = [line for line in said.splitlines() if "all is well" in line]
        assert "a?]0;owned" in line
        assert not set("\x1b\x07\x9b\u202e") & set(said)


def test_what_is_plain_stays_as_it_is():
    assert replace_controls("1:2 \N{EN DASH} \u00e4\u00f6, 5 %") == "1:2 \N{EN DASH} \u00e4\u00f6, 5 %"

"""Names from others are printed on terminals of any encoding, and read back from JSON."""

import io
import json
import subprocess
import sys

import msgspec
import pytest

from scheduler.children import our_environment
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.parser import accept_any_text, main

NAME = "Kunde Łódź ☃ 😀 Büro"
OF_LATIN_1 = b"B\xfcro".decode("utf-8", "surrogateescape")
ENCODINGS = ("utf-8", "iso-8859-1", "ascii", "cp1252")


class Answer(msgspec.Struct):
    name: str


@pytest.fixture(params=ENCODINGS)
def printed(request, monkeypatch):
    """Return a function that prints to a terminal of an encoding, and returns the encoding and what arrived."""

    def printed(print_words, *words) -> tuple[str, bytes]:
        stream = io.TextIOWrapper(io.BytesIO(), encoding=request.param, errors="strict")  # as Python's own is
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", stream)
            accept_any_text()
            print_words(*words)
        return request.param, stream.buffer.getvalue()

    return printed


def test_print_lines_on_any_encoding_keeps_what_the_encoding_has(printed):
    encoding, found = printed(print_lines, NAME)
    shown = {
        "utf-8": NAME,
        "iso-8859-1": r"Kunde \u0141ód\u017a \u2603 \ud83d\ude00 Büro",
        "ascii": r"Kunde \u0141\u00f3d\u017a \u2603 \ud83d\ude00 B\u00fcro",
        "cp1252": r"Kunde \u0141ód\u017a \u2603 \ud83d\ude00 Büro",
    }[encoding]
    assert found.decode(encoding).rstrip() == shown


def test_print_lines_of_a_path_that_is_no_text_writes_its_bytes(printed):
    assert printed(print_lines, f"/srv/{OF_LATIN_1}")[1] == b"/srv/B\xfcro\n"


def test_print_lines_never_writes_a_control_byte_of_a_path(printed):
    assert printed(print_lines, b"a\x9b31m".decode("utf-8", "surrogateescape"))[1] == b"a?31m\n"


@pytest.mark.parametrize("name", [NAME, OF_LATIN_1])
def test_print_json_on_any_encoding_is_utf8(printed, name):
    _, found = printed(print_json, Answer(name))
    assert json.loads(found.decode("utf-8")) == {"name": name}


@pytest.mark.parametrize("setting", [{"PYTHONIOENCODING": "iso-8859-1:strict"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_words_in_another_locale_report_a_foreign_name(setting):
    words = [sys.executable, "-m", "scheduler", "run", f"/no such/{NAME}"]
    environment = {**our_environment(), "PYTHONCOERCECLOCALE": "0", **setting}
    done = subprocess.run(words, env=environment, capture_output=True, timeout=30, check=False)
    assert done.returncode == 2, done
    assert b"a bug ended" not in done.stderr
    assert b"cannot be read" in done.stderr or b"not UTF-8" in done.stderr


def test_main_leaves_closed_streams_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert main(["run", str(tmp_path / "none.toml")]) == 2

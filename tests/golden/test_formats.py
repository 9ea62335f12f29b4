"""Golden texts keep each digit that a user reads, and drop digits that differ between computers."""

import json

import pytest

from tests.golden.formats import format_json, format_report, round_numbers

PAGE = """<title>A run</title><style>p {{ top: 1px }}</style><h1>Best:
 1:2</h1><svg><title>Rates</title><line x1="{x}"/><text>0</text></svg>
<table><tr><th>Split</th>
<td>1:2 <small>best</small></td></tr></table><pre>one
  two
{commands}</pre>"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("457.57142857142856", "457.5714"),
        ("0.33333333333333337 of 1", "0.3333333 of 1"),
        ("-4.440892098500626e-16", "0"),
        ("1e-12", "0"),
        ("95 % in 1.5 s, 10000000 rows, Xen 4.17.7", "95 % in 1.5 s, 10000000 rows, Xen 4.17.7"),
        ("run 20251009T085320-golden, weight 0.1234567", "run 20251009T085320-golden, weight 0.1234567"),
    ],
)
def test_round_numbers_shortens_only_long_numbers(text, expected):
    assert round_numbers(text) == expected


def test_format_json_keeps_all_values():
    value = {"points": [{"split": "1:2", "tps": [float(number) for number in range(40)]}] * 2, "note": "ü" * 200}
    text = format_json(json.dumps(value))
    assert json.loads(text) == value
    assert len(text.splitlines()) > 5


def test_format_report_holds_sentences_rows_and_hashed_pictures():
    lines = format_report(PAGE.format(x="7.5", commands="")).splitlines()
    assert lines[0] == "A run"
    assert lines[1].startswith("(style ")
    assert lines[2] == "Best: 1:2"
    assert lines[3].startswith("(svg ")
    assert lines[3].endswith(": Rates / 0)")
    assert lines[4:] == ["| Split | 1:2 best", "one", "two"]


def test_format_report_changes_with_each_number_and_command():
    commands = "\n".join(f"set {number}" for number in range(9))
    texts = {
        format_report(PAGE.format(x=x, commands=each)) for x in ("7.5", "7.6") for each in (commands, f"{commands}!")
    }
    assert len(texts) == 4
    assert all("(7 more lines, " in text for text in texts)


def test_format_json_omits_empty_fields_and_keeps_zero_and_false():
    value = {"note": "", "cv": None, "figures": [], "clients": {}, "stalled_s": 0.0, "responsive": False}
    assert json.loads(format_json(json.dumps(value))) == {"stalled_s": 0.0, "responsive": False}

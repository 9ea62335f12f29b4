"""One reader for plans: every mistake is reported with its key and its line, and nothing is read past its limits."""

import json
import tomllib
from pathlib import Path

import pytest

from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.parser import main
from scheduler.errors import SeveralErrors, SpecError
from scheduler.model.plan_fields import PLAN_TABLES, plan_key
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.plan_reading import read_plan
from scheduler.model.plan_toml import find_line
from scheduler.model.problems import Problems

THREE = """host = "local:"
repeats = 0
splits = ["1:1", "0:1"]

[[load]]
kind = "osdb-ir"

[[load]]
kind = "osdb-oltp"
users = 257
"""


def test_parse_plan_with_three_mistakes_reports_each_with_its_line() -> None:
    with pytest.raises(SeveralErrors) as refused:
        parse_plan(THREE, "my.toml")
    assert [(error.field, error.line) for error in refused.value.errors] == [
        ("repeats", 2),
        ("splits[1]", 3),
        ("load[1].users", 10),
    ]
    assert str(refused.value).splitlines() == [
        "my.toml has 3 mistakes:",
        "1. line 2, repeats: 0 is outside 1..1000. Use a value from 1 to 1000.",
        "2. line 3, splits[1]: '0:1' is not two positive numbers a:b (I/O domain : guest), at most 100 times apart. "
        "Write for example 1:2, which gives the I/O domain one third.",
        "3. line 10, load[1].users: 257 is outside 1..256. Use a value from 1 to 256.",
    ]


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        ('demand_users = 5\nserver = { io = "x" }\n', {"demand_users", "server.io"}),
        ("seed = -1\n[objective]\nweights = { tpch = 1 }\n", {"seed", "objective.weights"}),
        ('mode = 5\nseed = "x"\nhistory = 1\n', {"mode", "seed", "history"}),
        ("[clients]\ninsecure = true\non_loss = 3\n", {"clients.insecure", "clients.on_loss"}),
        ("[[load]]\nprobe = 3\n[[mix]]\nloads = 3\n", {"load[0].kind", "load[0].probe", "mix[0].name", "mix[0].loads"}),
        ("load = 3\nmix = 4\ndomains = 5\nserver = 6\n", {"load", "mix", "domains", "server"}),
    ],
)
def test_parse_plan_reports_every_mistake(lines: str, fields: set[str]) -> None:
    with pytest.raises(SpecError) as refused:
        parse_plan(f'host = "local:"\n{lines}')
    errors = refused.value.errors if isinstance(refused.value, SeveralErrors) else (refused.value,)
    assert {error.field for error in errors} == fields
    assert all(error.hint and error.problem for error in errors)


def test_read_plan_does_not_report_rules_that_a_wrong_load_breaks() -> None:
    problems = Problems()
    values = {"host": "local:", "load": [{"kind": "osdb-ir", "users": 0}], "objective": {"weights": {"osdb-ir": 1}}}
    assert read_plan(values, problems) is None
    assert list(problems.errors) == ["load[0].users"]


def test_read_plan_reads_what_json_has() -> None:
    problems = Problems()
    text = write_plan(parse_plan('host = "sim:"\nstudy = "scale-up"\nvcpus = [1, 2]\n'))
    assert read_plan(tomllib.loads(text), problems) == parse_plan(text)


def test_many_mistakes_are_counted_beyond_the_first_twenty() -> None:
    loads = "".join(f'[[load]]\nkind = "no-{number}"\n' for number in range(30))
    with pytest.raises(SeveralErrors) as refused:
        parse_plan(f'host = "local:"\n{loads}')
    assert str(refused.value).endswith("\n10 more follow these.")


@pytest.mark.parametrize("value", ["9" * 400, "-" + "9" * 400, "0x" + "f" * 20_000, "1979-05-27", "[[1]]", "{ a = 1 }"])
def test_value_of_the_wrong_size_or_type_is_refused_briefly(value: str) -> None:
    for key in ("period_ms", "seed", "splits", "name"):
        with pytest.raises(SpecError) as refused:
            parse_plan(f'host = "local:"\n{key} = {value}\n')
        assert refused.value.field.startswith(key)
        assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("field", "line"),
    [("host", 1), ("splits[1]", 3), ("load[0].kind", 6), ("load[1].users", 10), ("load[1].tuples", 8), ("seed", 0)],
)
def test_find_line_names_the_line_of_a_key_or_its_table(field: str, line: int) -> None:
    assert find_line(THREE, field) == line


def test_find_line_knows_no_line_next_to_text_of_several_lines() -> None:
    assert find_line(f'name = """\nseed = 1\n"""\n{THREE}', "repeats") == 0


def test_every_key_of_a_plan_has_help_and_a_title() -> None:
    for name, table in PLAN_TABLES.items():
        assert table.help.endswith(".")
        for key in table.keys:
            assert (key.title and key.help[0].isupper()) or key.help[0] == "`", (name, key.name)
            assert key.help.endswith((".", ":")), (name, key.name)


def test_plan_key_is_found_by_its_path() -> None:
    assert plan_key("seed").default == 1
    assert plan_key("objective.worth_frac").high == 1
    with pytest.raises(KeyError):
        plan_key("objective.seed")


def test_dry_run_as_json_has_each_mistake(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "my.toml"
    plan.write_text(THREE, encoding="utf-8")
    assert main(["run", str(plan), "--dry-run", "--json"]) == ExitCode.BAD_INPUT
    reported = json.loads(capfd.readouterr().out)
    assert [(each["field"], each["line"]) for each in reported["mistakes"]] == [
        ("repeats", 2),
        ("splits[1]", 3),
        ("load[1].users", 10),
    ]
    assert all(each["problem"] and each["hint"] for each in reported["mistakes"])

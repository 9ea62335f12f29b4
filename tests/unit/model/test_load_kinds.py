"""Laws of the registry of load kinds: what every kind has everywhere, and that no kind is named anywhere else."""

import ast
import re
from importlib import import_module

import msgspec
import pytest

from app import load_texts
from app.theme.style_sheet import build_style_sheet
from app.theme.tokens import DARK, LIGHT
from app.widgets.series_style import load_style
from app.wizard.sweep_form import SweepForm
from scheduler.errors import SpecError
from scheduler.export.report_figures import load_marker, style_values
from scheduler.export.templates import template_environment
from scheduler.model import load_kinds
from scheduler.model.load import LoadSpec
from scheduler.model.load_kind import index_kinds
from scheduler.model.load_kinds import LOAD_KINDS, list_standard_kinds, rate_unit
from scheduler.model.load_looks import LoadColour, LoadMarker
from scheduler.model.parameters import Parameter
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE, simulated_kind
from scheduler.sim.noise import NOISES, value_of_load
from tests.guide_page import ROOT
from tests.product_sources import sources
from tests.third_kind import registered, third_kind

# Where a kind may be named beside its own modules: its record, what was fitted to the papers' two, examples in hints.
MAY_NAME = {
    "scheduler/model/load_kinds.py",
    *(
        f"scheduler/studies/{name}/declaration.py" for name in ("capacity", "isolation", "overhead", "scaling")
    ),  # which one answers a question where the plan names none
    "scheduler/model/objective.py",
    "scheduler/sim/built_in_machine.py",
    "scheduler/sim/noise.py",
    "scheduler/loads/fake_loads.py",
    "scheduler/loads/command/known_programs.py",  # programs whose output a command may bring
    "scheduler/loads/osdb/osdb_schema.py",
    "labs/lxc/lab_files.py",
    "app/load_texts.py",
    "app/glossary.py",
}


@pytest.mark.parametrize("name", LOAD_KINDS)
def test_kinds_modules_are_there(name):
    assert not LOAD_KINDS[name].workload or callable(import_module(LOAD_KINDS[name].workload).open_workload)
    if LOAD_KINDS[name].engine:
        engine = import_module(LOAD_KINDS[name].engine)
        assert callable(engine.open_engine)
        assert callable(engine.versions)
        assert callable(engine.sentences)
    else:
        assert callable(import_module(LOAD_KINDS[name].operation).connect_user)


@pytest.mark.parametrize("name", LOAD_KINDS)
def test_every_part_knows_every_kind(name):
    kind = LOAD_KINDS[name]
    assert LoadSpec(name).kind == name
    assert load_title(name) == load_texts.load_name(name) == kind.short
    assert format_load_rate(12.0, name) == f"12.0 {kind.unit}"
    assert name in SweepForm().loads
    assert SweepForm().loads[name]["on"] == ("yes" if kind.standard else "no")
    assert simulated_kind(name) in BUILT_IN_MACHINE.loads
    assert all(value_of_load(noise.trial_sd, name) is not None for noise in NOISES.values())
    assert load_marker(name) == (kind.marker, kind.colour.name)
    assert load_style(name, LIGHT).role == kind.colour.name
    assert load_texts.users_words(name, 3).startswith("3 ")
    assert not kind.probe or kind.probe in LOAD_KINDS


def test_papers_kinds_are_standard():
    assert list_standard_kinds() == ("osdb-ir", "osdb-oltp")
    assert [load.kind for load in parse_plan('host = "local:"').loads] == ["osdb-ir", "osdb-oltp"]


def test_style_sheets_of_window_and_report_have_each_look(monkeypatch):
    with registered(monkeypatch):
        css = template_environment("report", autoescape=True).get_template("report.css.j2").render(**style_values())
        kinds = list(LOAD_KINDS.values())
        sheets = {palette: build_style_sheet(palette) for palette in (LIGHT, DARK)}
    for marker, colour in ((kind.marker, kind.colour) for kind in kinds):
        for palette, sheet in sheets.items():
            shade = colour.text_shade(dark=palette.dark)
            assert f'QLabel[role="{colour.name}"] {{ color: {shade}; }}' in sheet
            assert f"--{colour.name}: {colour.shade(dark=palette.dark).lower()};" in css
        assert f".load.{colour.name} {{ background: var(--{colour.name}); }}" in css
        assert f"svg .{colour.name} {{ --series: var(--{colour.name}); }}" in css
        [outline] = re.findall(rf"^\.load\.{marker.name} \{{ (.*) \}}$", css, re.MULTILINE)
        assert outline.count("%") == 2 * len(marker.corners) or (not marker.corners and "border-radius" in outline)


@pytest.mark.parametrize("field", ["name", "title", "short", "marker", "colour"])
def test_no_two_kinds_are_taken_for_each_other(field):
    taken = getattr(LOAD_KINDS["osdb-ir"], field)
    with pytest.raises(SpecError, match="already"):
        index_kinds([*LOAD_KINDS.values(), msgspec.structs.replace(third_kind(), **{field: taken})])


@pytest.mark.parametrize(
    "wrong",
    [
        {"short": ""},
        {"unit": ""},
        {"marker": LoadMarker(name="a b", plural="hearts")},
        {"marker": LoadMarker(name="heart", plural="hearts", corners=((0.0, 1.0), (1.0, 0.0)))},
        {"marker": LoadMarker(name="heart", plural="hearts", corners=((0.0, 1.0), (1.3, 0.0), (-1.0, 0.0)))},
        {"colour": LoadColour(name="red", light="#FF0000", light_text="red", dark="#FF0000", dark_text="#FF0000")},
        {"many_users": "users read"},
        {"databases": ()},
        {"operation": ""},
        {"workload": ""},
        {"runs": "command"},
        {"cold": "tuples"},
        {"engine": "scheduler.loads.tpcb.pgbench_engine"},
        {"operation": "", "engine": "scheduler.loads.tpcb.pgbench_engine", "probe": "osdb-ir"},
        {"databases": ("oracle",)},
        {"parameters": (Parameter(name="users", title="Users", help="How many.", default=1, high=9),)},
    ],
)
def test_record_that_some_part_could_not_use_cannot_be_made(wrong):
    with pytest.raises(SpecError, match=r"ranges"):
        msgspec.structs.replace(third_kind(), **wrong)


def test_no_other_module_names_a_kind():
    others = {"command", "Command"}  # words of their own as well
    homes = {word: home_of(kind) for kind in LOAD_KINDS.values() for word in {kind.name, kind.short} - others}
    found: set[str] = set()
    for name, tree in sources("app", "scheduler", words=homes):
        nodes = ast.walk(tree)
        named = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        if any(word in named and not (ROOT / name).is_relative_to(home) for word, home in homes.items()):
            found.add(name)
    assert found <= MAY_NAME


def home_of(kind):
    """Return the folder of a kind's own modules."""
    return ROOT.joinpath(*(kind.workload or kind.engine).split(".")[:-1])


def test_units_that_differ_are_both_reported(monkeypatch):
    with registered(monkeypatch) as kind:
        assert rate_unit(["osdb-ir", "osdb-oltp"]) == "tuples/s"
        assert rate_unit(["osdb-ir", kind.name]) == "tuples/s or ranges/s"
        assert format_load_rate(1234.0, kind.name) == "1.23k ranges/s"


def test_load_without_an_extra_reader_refuses_one(monkeypatch):
    with registered(monkeypatch) as kind, pytest.raises(SpecError, match="no extra reader"):
        LoadSpec(kind.name, probe=True)


def test_plan_sets_what_the_record_declares_and_nothing_else(monkeypatch):
    with registered(monkeypatch) as kind:
        plan = f'host = "local:"\n[[load]]\nkind = "{kind.name}"\n'
        spec = parse_plan(plan + "rows = 20\n")
        assert spec.loads[0].values == {"rows": 20}
        assert parse_plan(plan).loads[0].values == {"rows": 10}
        assert parse_plan(write_plan(spec)) == spec
        assert "rows = 20" in write_plan(spec)
        for wrong, said in [
            ("rows = 0", "outside 1..100"),
            ("rows = 2.5", "not a whole number"),
            ("rows = true", "a boolean"),
            ("columns = 2", "not a key"),
            ("tuples = 20000", "has no such parameter"),
            ("[load.parameters]\nrows = 20", "not a key"),
        ]:
            with pytest.raises(SpecError, match=said) as refused:
                parse_plan(f"{plan}{wrong}\n")
            assert refused.value.field.startswith("load[0].")
    with pytest.raises(SpecError, match="not a key"):
        parse_plan('host = "local:"\n[[load]]\nkind = "osdb-ir"\nrows = 20\n')


def test_brought_database_may_be_named():
    plan = 'host = "local:"\n[[load]]\nkind = "osdb-ir"\ndatabase = "{}"\n'
    for named in ("", "postgresql:"):
        spec = parse_plan(plan.format(named))
        assert (spec.database, spec.loads[0].url, spec.loads[0].engine) == ("", "", "postgresql")
    spec = parse_plan(plan.format("postgres://u@h/n"))
    assert (spec.database, spec.loads[0].engine) == ("postgres://u@h/n", "postgresql")
    with pytest.raises(SpecError, match="has no scheme"):
        parse_plan(plan.format("postgresql:u@h"))


def test_load_without_tables_of_that_size_takes_none(monkeypatch):
    with registered(monkeypatch) as kind, monkeypatch.context() as patch:
        patch.setitem(load_kinds.LOAD_KINDS, kind.name, msgspec.structs.replace(kind, parameters=()))
        assert LoadSpec(kind.name).values == {}
        with pytest.raises(SpecError, match="no such parameter"):
            LoadSpec(kind.name, tuples=20_000)
        spec = parse_plan(f'host = "local:"\n[[load]]\nkind = "{kind.name}"\n')
        assert "tuples" not in write_plan(spec)
        assert parse_plan(write_plan(spec)) == spec


def test_load_kept_before_there_were_parameters_still_opens():
    kept = b'{"kind":"osdb-ir","users":5,"database":"","tuples":20000,"probe":true}'
    assert msgspec.json.decode(kept, type=LoadSpec) == LoadSpec("osdb-ir", tuples=20_000, probe=True)

"""Check that the window takes its inputs from `app.widgets.inputs`, where the wheel changes no value."""

import ast
from collections.abc import Iterator
from pathlib import Path

APP = Path(__file__).resolve().parents[3] / "app"
INPUTS = APP / "widgets" / "inputs.py"
CHANGED_BY_THE_WHEEL = {
    "QAbstractSlider",
    "QAbstractSpinBox",
    "QComboBox",
    "QDateEdit",
    "QDateTimeEdit",
    "QDial",
    "QDoubleSpinBox",
    "QFontComboBox",
    "QSlider",
    "QSpinBox",
    "QTabBar",
    "QTimeEdit",
}
COMPLETES_WHAT_IS_TYPED = {"QCompleter"}


def names_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.alias(name=name) | ast.Name(id=name) | ast.Attribute(attr=name):
                yield name


def test_app_modules_other_than_inputs_use_no_input_of_qt() -> None:
    modules = [path for path in APP.rglob("*.py") if path != INPUTS]
    assert len(modules) > 100
    forbidden = CHANGED_BY_THE_WHEEL | COMPLETES_WHAT_IS_TYPED
    used = {str(path.relative_to(APP)): sorted(forbidden.intersection(names_in(path))) for path in modules}
    assert {name: found for name, found in used.items() if found} == {}


def test_app_gives_every_tab_widget_a_still_tab_bar() -> None:
    with_tabs = [path for path in APP.rglob("*.py") if "QTabWidget" in set(names_in(path))]
    assert with_tabs
    assert [path.name for path in with_tabs if "StillTabBar" not in set(names_in(path))] == []

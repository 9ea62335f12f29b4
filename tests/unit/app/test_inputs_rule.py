"""Check that the window takes its inputs from `app.widgets.inputs`, where the wheel changes no value."""

import ast
from collections.abc import Iterator

from tests.product_sources import sources

INPUTS = "app/widgets/inputs.py"
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


def names_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.alias(name=name) | ast.Name(id=name) | ast.Attribute(attr=name):
                yield name


def test_app_modules_other_than_inputs_use_no_input_of_qt() -> None:
    forbidden = CHANGED_BY_THE_WHEEL | COMPLETES_WHAT_IS_TYPED
    found = {name: sorted(forbidden.intersection(names_in(tree))) for name, tree in sources("app", words=forbidden)}
    assert found.pop(INPUTS)
    assert {name: used for name, used in found.items() if used} == {}


def test_app_gives_every_tab_widget_a_still_tab_bar() -> None:
    used = {name: set(names_in(tree)) for name, tree in sources("app", words={"QTabWidget"})}
    with_tabs = [name for name, names in used.items() if "QTabWidget" in names]
    assert with_tabs
    assert [name for name in with_tabs if "StillTabBar" not in used[name]] == []

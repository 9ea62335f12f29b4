"""The wizard with a third kind of load, that of docs/developers/add-a-load.md."""

import pytest

from app.wizard.load_card import mark_path
from app.wizard.wizard import Wizard
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.objective import Objective
from tests.third_kind import registered, third_kind
from tests.ui.looks import clipped, outside
from tests.ui.wizard.helpers import click, page_texts

pytestmark = pytest.mark.ui

LOADS, PROTOCOL, REVIEW = 3, 4, 5

MARKERS = {kind.marker.name: kind.marker for kind in (*LOAD_KINDS.values(), third_kind())}


@pytest.fixture
def third(monkeypatch):
    with registered(monkeypatch) as kind:
        yield kind.name


@pytest.fixture
def wizard_of_three(third: str, new_wizard: Wizard) -> Wizard:
    return new_wizard


def switch_on(wizard: Wizard, kind: str, qtbot) -> None:
    wizard.go(LOADS)
    click(qtbot, wizard.page_at(LOADS).cards[kind].on)


def test_third_load_is_off_until_it_is_switched_on(wizard_of_three: Wizard, third: str, qtbot):
    wizard = wizard_of_three
    wizard.go(LOADS)
    assert list(wizard.page.cards) == list(LOAD_KINDS)
    assert list(LOAD_KINDS)[-1] == third
    assert [load.kind for load in wizard.state.spec.loads] == ["osdb-ir", "osdb-oltp"]
    assert not wizard.page.cards[third].on.isChecked()
    assert not wizard.page.cards[third].inputs.probe.isVisible()
    switch_on(wizard, third, qtbot)
    assert [load.kind for load in wizard.state.spec.loads] == ["osdb-ir", "osdb-oltp", third]
    assert "33" in wizard.page.cards[third].inputs.part.text()
    click(qtbot, wizard.page.cards[third].on)
    assert [load.kind for load in wizard.state.spec.loads] == ["osdb-ir", "osdb-oltp"]


def test_what_can_be_typed_is_shown_of_loads_that_are_on(wizard: Wizard, qtbot):
    wizard.go(LOADS)
    qtbot.wait(50)
    card, row_px = wizard.page.cards["order-entry"], wizard.page.cards["osdb-ir"].height()

    def shown() -> set[str]:
        return {name.rpartition(".")[2] for name, field in card.fields.items() if field.isVisible()}

    assert shown() == set()
    assert card.height() < row_px / 2
    click(qtbot, card.on)
    assert {"users", "warehouses", "isolation", "weight"} <= shown()
    assert "tuples" not in shown()
    click(qtbot, card.on)
    assert shown() == set()


@pytest.mark.parametrize("size", [(1024, 600), (1280, 800)])
def test_cards_of_three_loads_fit_the_window(wizard_of_three: Wizard, size, qtbot):
    wizard = wizard_of_three
    wizard.resize(*size)
    wizard.go(LOADS)
    qtbot.wait(50)
    assert clipped(wizard.page) == []
    assert outside(wizard.page) == []
    cards = list(wizard.page.cards.values())
    areas = [card.geometry() for card in cards]
    assert not any(one.intersects(other) for one in areas for other in areas if one is not other)
    assert all(area.width() >= 270 for area in areas)


def test_review_names_a_third_load(wizard_of_three: Wizard, third: str, qtbot):
    wizard = wizard_of_three
    switch_on(wizard, third, qtbot)
    wizard.go(REVIEW)
    assert "5 users read ranges (Ranges)" in page_texts(wizard)


def test_objectives_speak_of_three_loads(wizard_of_three: Wizard, third: str, qtbot):
    wizard = wizard_of_three
    card = wizard.page_at(LOADS).objective
    wizard.go(LOADS)
    assert [card.favoured.itemData(row) for row in range(card.favoured.count())] == ["osdb-ir", "osdb-oltp"]
    switch_on(wizard, third, qtbot)
    click(qtbot, card.choices["limited"])
    assert "all loads" in card.choices["weighted"].text()
    assert card.most.name.text() == "Each other load may lose at most"
    card.favoured.setCurrentIndex(2)
    card.favoured.activated.emit(2)
    assert wizard.state.spec.objective == Objective("limited", third, 0.05)
    wizard.go(REVIEW)
    assert (
        "the highest Ranges throughput of all splits that lose at most 5\N{NO-BREAK SPACE}% each of IR and OLTP"
        in page_texts(wizard)
    )


@pytest.mark.parametrize("marker", MARKERS)
def test_every_mark_lies_within_its_card_and_looks_like_no_other(marker: str, qapp):
    areas = {name: mark_path(each) for name, each in MARKERS.items()}
    box = areas[marker].boundingRect()
    assert box.left() >= 0
    assert box.right() <= 14.01
    assert 11 < box.width() <= 14.01
    assert [name for name, path in areas.items() if path == areas[marker]] == [marker]


def test_two_loads_are_next_to_each_other_as_ever(wizard: Wizard, qtbot):
    wizard.go(LOADS)
    qtbot.wait(50)
    first, second = (wizard.page.cards[kind].geometry() for kind in list(LOAD_KINDS)[:2])
    assert first.top() == second.top()
    assert first.right() < second.left()
    assert abs(first.width() - second.width()) <= 1

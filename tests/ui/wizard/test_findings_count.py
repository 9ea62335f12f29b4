"""The number of warnings next to the start button, and a start that preflight errors block."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea

from app.theme.theme import Appearance, Theme
from app.wizard.findings_list import count_findings
from app.wizard.wizard import Wizard
from scheduler.model.host_properties import PreflightFinding, Severity
from tests.ui.looks import clipped, outside
from tests.ui.wizard.helpers import LIMIT_MS, click, page_texts, press

pytestmark = pytest.mark.ui

REVIEW = 5


def review(wizard: Wizard, host: str, qtbot) -> None:
    wizard.state.form.host = host
    wizard.state.replace(wizard.state.form)
    wizard.go(REVIEW)
    qtbot.waitUntil(lambda: wizard.review.answer is not None, timeout=LIMIT_MS)


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        ((), ""),
        ((Severity.INFO,), ""),
        ((Severity.WARNING,), "1 warning"),
        ((Severity.WARNING, Severity.INFO, Severity.WARNING), "2 warnings"),
        ((Severity.ERROR, Severity.WARNING), "1 error, 1 warning"),
        ((Severity.ERROR, Severity.ERROR), "2 errors"),
    ],
)
def test_count_findings_names_errors_and_warnings(levels, text):
    assert count_findings([PreflightFinding(level, "x") for level in levels]) == text


@pytest.mark.parametrize(
    ("size", "appearance"),
    [((1024, 600), Appearance.DARK), ((1280, 800), Appearance.LIGHT)],
    ids=["1024x600", "1280x800"],
)
def test_review_counts_warnings_next_to_start_and_scrolls_to_them(
    wizard: Wizard, theme: Theme, host: str, size: tuple[int, int], appearance: Appearance, qtbot
):
    theme.set_appearance(appearance)
    wizard.resize(*size)
    review(wizard, f"{host}?warnings=2", qtbot)
    button = wizard.footer.warnings
    assert (button.text(), button.isVisible(), wizard.footer.next.isEnabled()) == ("2 warnings", True, True)
    assert (clipped(wizard.footer), outside(wizard.footer)) == ([], [])
    card = wizard.review.host_card
    (area,) = [each for each in wizard.findChildren(QScrollArea) if each.isAncestorOf(card)]
    area.verticalScrollBar().setValue(0)
    click(qtbot, button)
    top_px = card.mapTo(area.viewport(), card.rect().topLeft()).y()
    end = area.verticalScrollBar().value() == area.verticalScrollBar().maximum()
    assert 0 <= top_px < area.viewport().height() / 3 or end
    wizard.back()
    assert not button.isVisible()


def test_review_without_warnings_shows_no_count(wizard: Wizard, host: str, qtbot):
    review(wizard, host, qtbot)
    assert not wizard.footer.warnings.isVisible()


def test_review_blocks_start_while_preflight_finds_errors(wizard: Wizard, host: str, qtbot):
    started = []
    wizard.start.connect(lambda *given: started.append(given))
    review(wizard, f"{host}?errors=1&warnings=1", qtbot)
    assert wizard.footer.warnings.text() == "1 error, 1 warning"
    assert not wizard.footer.next.isEnabled()
    assert "--despite-errors" in page_texts(wizard)
    assert wizard.review.commands.toPlainText()
    press(qtbot, wizard, Qt.Key.Key_Return)
    assert not started

"""Where there is little room: what folds, what scrolls into sight, what keeps its place."""

import msgspec
import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QDialogButtonBox

from app.display_texts import shorten_name
from app.pages.about_dialog import AboutDialog
from app.pages.host_card import HostCard
from app.pages.restore_banner import OriginalsDialog
from app.pages.result_page import ResultPage
from app.theme.theme import Theme
from app.widgets.buttons import danger_button, primary_button, secondary_button
from app.widgets.table import TableData, TableView
from scheduler.model.command_answers import HostProbe
from tests.data_maker import make_facts
from tests.ui.looks import clipped, outside
from tests.ui.recorded import recorded_result

pytestmark = pytest.mark.ui


def test_quiet_actions_fold_into_one_menu_where_there_is_no_room(page: ResultPage, qtbot):
    page.show_finding(recorded_result())
    footer = page.footer
    qtbot.waitUntil(footer.bundle.isVisible)
    assert not footer.others.isVisible()
    page.window().resize(800, 600)
    qtbot.waitUntil(footer.others.isVisible)
    assert not footer.bundle.isVisible()
    qtbot.waitUntil(lambda: outside(footer) == clipped(footer) == [])
    words = [action.text() for action in footer.others.menu().actions() if action.text()]
    assert words[:3] == [footer.bundle.text(), footer.report.text(), footer.replay.text()]
    with qtbot.waitSignal(page.replay_wanted):
        footer.others.menu().actions()[2].trigger()


def test_footer_keeps_its_height_whatever_is_the_main_action(theme: Theme, qtbot):
    buttons = [make(theme, "Apply", "apply") for make in (primary_button, secondary_button, danger_button)]
    for button in buttons:
        qtbot.addWidget(button)
        button.ensurePolished()
    assert len({button.sizeHint().height() for button in buttons}) == 1


def test_what_is_unfolded_comes_into_sight(page: ResultPage, qtbot):
    page.show_finding(recorded_result())
    page.area.ensureWidgetVisible(page.measured.fold)
    assert not page.measured.trials.isVisible()
    page.measured.fold.click()

    def seen() -> bool:
        table = page.measured.trials
        view = page.area.viewport()
        return view.rect().contains(QRect(table.mapTo(view, table.rect().topLeft()), table.size()))

    qtbot.waitUntil(seen)


def test_no_heading_of_a_table_that_shares_its_width_is_narrower_than_its_words(qtbot):
    view = TableView("t", TableData(("Split", "OLTP loss", "Rounding error of the quota"), [("1:1", 1.0, 2.0)] * 40))
    qtbot.addWidget(view)
    view.share_width()
    view.show()
    words = view.horizontalHeader().fontMetrics()
    for width_px in (150, 300, 900):
        view.resize(width_px, 200)
        needs = [words.horizontalAdvance(text) for text in view.source.table.headers]
        has = [view.columnWidth(column) for column in range(3)]
        assert all(wide > wants for wide, wants in zip(has, needs, strict=True))
        assert sum(has) <= view.viewport().width() or view.horizontalScrollBar().maximum() > 0


def test_host_is_named_by_what_it_reported_and_its_url_stays_below(theme: Theme, runner, qtbot):
    url = "sim:?scheduler=credit2"
    card = HostCard(theme, runner, url, url)
    qtbot.addWidget(card)
    facts = make_facts(url, simulated=True, scheduler="credit2")
    card._show_state(HostProbe(facts=facts))
    assert card.name.text() == facts.title
    assert card.address.text() == url
    assert card.kind.text() == "credit2 \N{MIDDLE DOT} 2 CPUs"
    card._show_state(HostProbe(facts=msgspec.structs.replace(facts, pcpus=1)))
    assert card.kind.text() == "credit2 \N{MIDDLE DOT} 1 CPU"
    local = HostCard(theme, runner, "local:", "This computer")
    qtbot.addWidget(local)
    local._show_state(HostProbe(facts=make_facts("local:")))
    assert local.name.text() == "This computer"
    assert local.kind.text().startswith("testbench")


def test_hosts_that_begin_alike_are_distinguished_on_their_buttons():
    begin = "xl+ssh://root@xen-production-0"
    short = [shorten_name(f"{begin}{n}.rack-17.example.org:222{n}") for n in range(3)]
    assert len(set(short)) == 3
    assert all(len(name) == 36 for name in short)
    assert shorten_name("sim:") == "sim:"


def test_close_has_no_icon_of_another_style(theme: Theme, qtbot):
    for dialog in (AboutDialog(theme), OriginalsDialog(())):
        qtbot.addWidget(dialog)
        dialog.show()
        box = dialog.findChild(QDialogButtonBox)
        assert box.button(QDialogButtonBox.StandardButton.Close).icon().isNull()

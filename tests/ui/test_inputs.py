"""Check that inputs change by intent only: no wheel, no completion of a typed host."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QScrollArea, QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.observe.request_card import HostField
from app.pages.live_page import LivePage
from app.pages.result_page import ResultPage
from app.pages.settings_dialog import SettingsDialog
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.inputs import StillComboBox, StillSlider, StillSpinBox
from tests.data_maker import make_spec
from tests.ui.recorded import recorded_result
from tests.ui.stages import shown
from tests.ui.wheel import turn_wheel

pytestmark = pytest.mark.ui

KNOWN = "xl+ssh://root@xen10.example.org"
TYPED = "xl+ssh://root@xen1"


def put_on_page(part: QWidget, qtbot) -> QScrollArea:
    area, inside = QScrollArea(), QWidget()
    box = QVBoxLayout(inside)
    box.addWidget(part)
    box.addStretch(1)
    inside.setMinimumHeight(2000)
    area.setWidget(inside)
    area.setWidgetResizable(True)
    area.resize(400, 300)
    qtbot.addWidget(area)
    area.show()
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    return area


@pytest.mark.parametrize("make", [StillSlider, StillSpinBox])
def test_wheel_over_a_number_scrolls_the_page_and_changes_no_value(make, qtbot):
    part = make()
    part.setValue(50)
    area = put_on_page(part, qtbot)
    part.setFocus()
    turn_wheel(part)
    assert part.value() == 50
    assert area.verticalScrollBar().value() > 0


def test_wheel_over_a_combo_box_scrolls_the_page_and_changes_no_choice(qtbot):
    combo = StillComboBox()
    combo.addItems(["a", "b", "c"])
    area = put_on_page(combo, qtbot)
    combo.setFocus()
    turn_wheel(combo)
    assert combo.currentText() == "a"
    assert area.verticalScrollBar().value() > 0


@pytest.mark.parametrize("kinds", [("osdb-ir", "osdb-oltp"), ("osdb-ir", "osdb-oltp", "tpcb")])
def test_wheel_over_the_weights_of_a_result_changes_no_weight(page: ResultPage, kinds, qtbot):
    page.window().resize(1024, 600)
    page.show_finding(recorded_result(spec=make_spec(kinds=kinds)))
    qtbot.wait(50)
    before = page.weights.weights
    sliders = [part for part in page.weights.findChildren(StillSlider) if part.isVisible()]
    assert sliders
    for slider in sliders:
        page.area.ensureWidgetVisible(slider)
        slider.setFocus()
        before_px = page.area.verticalScrollBar().value()
        turn_wheel(slider)
        assert page.area.verticalScrollBar().value() > before_px
    assert page.weights.weights == before


@pytest.mark.parametrize("kinds", [("osdb-ir", "osdb-oltp"), ("osdb-ir", "osdb-oltp", "tpcb")])
def test_weights_bar_at_the_plans_place_gives_the_exact_weights_of_the_plan(page: ResultPage, kinds):
    weights = {kind: 1.0 + 1.37 * number for number, kind in enumerate(kinds)}
    page.show_finding(recorded_result(spec=make_spec(kinds=kinds, weights=weights)))
    spec = page.finding.run.spec
    assert page.weights.weights == {kind: spec.weight_of(kind) for kind in kinds}
    assert not page.weights.reset.isEnabled()


def test_weights_bar_of_two_loads_gives_whole_hundredths(page: ResultPage):
    page.show_finding(recorded_result())
    for step in range(101):
        page.weights.slider.setValue(step)
        assert page.weights.weights == {"osdb-ir": (100 - step) / 100, "osdb-oltp": step / 100}


@pytest.mark.parametrize("side", ["left", "bottom"])
def test_wheel_over_the_axis_of_a_plot_scrolls_the_page(page: ResultPage, side, qtbot):
    page.window().resize(1024, 600)
    page.show_finding(recorded_result())
    qtbot.wait(50)
    page.area.ensureWidgetVisible(page.weights)
    before_px = page.area.verticalScrollBar().value()
    axis = page.plot.canvas.getAxis(side)
    place: QPoint = page.plot.mapFromScene(axis.sceneBoundingRect().center())
    turn_wheel(page.plot.viewport(), place)
    assert page.area.verticalScrollBar().value() > before_px


def test_wheel_over_the_tabs_of_a_live_page_changes_no_tab(theme: Theme, background: BackgroundWorker, qtbot):
    page = LivePage(theme, background)
    with shown(page, qtbot):
        page.plots.side.show()
        qtbot.wait(50)
        before = page.plots.side.currentIndex()
        turn_wheel(page.plots.side.tabBar())
        assert page.plots.side.currentIndex() == before


def test_wheel_over_the_preferences_changes_none(theme: Theme, qtbot):
    settings = Settings()
    dialog = SettingsDialog(theme, settings)
    qtbot.addWidget(dialog)
    dialog.show()
    before = settings.users, settings.measure_s, settings.appearance
    for part in (dialog.users, dialog.window_s, dialog.appearance):
        part.setFocus()
        turn_wheel(part)
    assert (settings.users, settings.measure_s, settings.appearance) == before


def type_over(edit: QLineEdit, qtbot) -> None:
    edit.window().activateWindow()
    edit.setFocus()
    qtbot.waitUntil(edit.hasFocus)  # Qt completes with the keyboard focus only
    edit.selectAll()
    qtbot.keyClicks(edit, TYPED)
    qtbot.keyClick(edit, Qt.Key.Key_Tab)


def test_host_field_keeps_the_typed_prefix_of_a_known_host(qtbot):
    settings = Settings()
    settings.remember_host(KNOWN)
    field = HostField(settings, ())
    field.refresh()
    with shown(field, qtbot):
        type_over(field.edit, qtbot)
        assert field.url == TYPED

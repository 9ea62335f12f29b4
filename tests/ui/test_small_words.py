"""Words that used to mislead: each says now what it means, to whom it belongs, or that something happened."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget

from app.display_texts import format_parameter, typeset_text
from app.pages.about_dialog import AboutDialog, version_report
from app.pages.measured_card import MeasuredCard
from app.pages.result_page import longer_run
from app.pages.result_parts import RegretCard
from app.pages.settings_dialog import SettingsDialog
from app.pages.window_frame import WindowFrame
from app.plots.run_board import RunBoard
from app.plots.throughput_plot import ThroughputPlot
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.fold_button import FoldButton
from app.wizard.key_dialog import KeyDialog
from app.wizard.splits_page import encoding_table
from app.wizard.sweep_form import SweepForm
from tests.ui.recorded import recorded_result

pytestmark = pytest.mark.ui
_SHA = "SHA256:" + "a" * 43


def _words(widget: QWidget) -> str:
    return "\n".join(part.text() for part in widget.findChildren(QLabel))


def test_settings_report_for_which_protocol_their_seconds_are(theme: Theme, qtbot):
    dialog = SettingsDialog(theme, Settings())
    qtbot.addWidget(dialog)
    assert "Defaults of new sweeps" in _words(dialog)
    assert f"({SweepForm.protocol.capitalize()})" in _words(dialog)


def test_about_reports_that_it_copied(theme: Theme, qtbot):
    dialog = AboutDialog(theme)
    qtbot.addWidget(dialog)
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == version_report()
    assert dialog.copy_button.text() == "Copied"


def test_new_key_names_the_host_and_emphasises_only_the_safe_way(theme: Theme, qtbot):
    dialog = KeyDialog(theme, "xl+ssh://root@xen1:2222", _SHA)
    qtbot.addWidget(dialog)
    assert "You have not used xen1 before" in _words(dialog)
    assert "ssh_host_*_key.pub" in _words(dialog), "of whatever type it is"
    assert dialog.accept_key.property("kind") != "primary"
    assert dialog.cancel.isDefault()


def test_columns_are_called_what_they_hold(theme: Theme, qtbot):
    card = RegretCard(theme)
    qtbot.addWidget(card)
    finding = recorded_result()
    headers = card.table_of(finding.results.answer, finding.run.spec).headers
    assert headers == ("Split", "Score", "IR loss", "OLTP loss", "P(worse)")
    assert all(word in card.subtitle.text() for word in ("Score:", "Loss:", "P(worse):"))
    card.show_answer(finding.results.answer, finding.run.spec)
    assert "worse than the best by more than 2\N{NO-BREAK SPACE}%" in card.subtitle.text()
    model, split = card.table.source, finding.results.answer.label
    tips = [model.headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) for at in range(5)]
    assert f"worse than {split} by more than 2\N{NO-BREAK SPACE}%" in tips[-1]
    assert all(explained != name for explained, name in zip(tips[1:], headers[1:], strict=True))


def test_simulated_time_is_called_so(theme: Theme, qtbot):
    card = MeasuredCard(theme)
    qtbot.addWidget(card)
    for simulated in (True, False):
        facts = dict(card.facts_of(recorded_result(simulated=simulated)))
        assert facts["When"].endswith(" simulated") == simulated
    plot = ThroughputPlot(theme)
    qtbot.addWidget(plot)
    plot.show_board(RunBoard())
    for simulated in (True, False):
        plot.set_simulated(simulated=simulated)
        assert ("Simulated time" in plot.canvas.getAxis("bottom").labelText) == simulated


def test_confirming_run_has_a_name_of_its_own():
    results = recorded_result().results
    spec = msgspec.structs.replace(recorded_result().run.spec, name="Mine")
    again = longer_run(spec, results.answer)
    assert again.name == "Mine, longer"
    assert longer_run(again, results.answer).name == "Mine, longer"
    assert longer_run(msgspec.structs.replace(spec, name=""), results.answer).name == ""


def test_it_is_reported_where_the_hypervisor_keeps_some_of_the_cpu():
    _, note = encoding_table(SweepForm(splits=["1:1", "1:2"], scheduler="sedf-xm").split_rows())
    assert "Both domains together get at most 96" in note
    _, note = encoding_table(SweepForm(splits=["1:1", "1:2"], scheduler="cgroup-v2").split_rows())
    assert "Together" not in note


def test_microseconds_are_written_as_people_read_them():
    assert format_parameter("66667 us per 100000 us") == "66,667\xa0µs per 100,000\xa0µs"
    assert format_parameter("none") == "none"
    assert typeset_text("gives 90 us of each 1000 us") == "gives 90\xa0µs of each 1,000\xa0µs"


def test_paused_sweep_is_not_called_running(theme: Theme, qtbot):
    window = WindowFrame(theme, Settings())
    qtbot.addWidget(window)
    for paused, word in ((True, "is paused"), (False, "is running")):
        asked = window.ask_to_stop("xen1", lambda: None, lambda: None, paused=paused)
        assert word in asked.text()
        assert asked.escapeButton().text() == asked.defaultButton().text() == "Cancel"
        asked.reject()
    window.background.close()
    window.runner.close()


def test_what_folds_shows_and_hides_its_part_and_is_read_without_its_mnemonic(theme: Theme, qtbot):
    part = QLabel("inside")
    fold = FoldButton(theme, "Comman&ds", part)
    for widget in (part, fold):
        qtbot.addWidget(widget)
    assert fold.accessibleName() == "Commands"
    assert part.isHidden()
    fold.click()
    assert not part.isHidden()
    assert fold.property("icon_name") == "chevron-down"
    fold.click()
    assert part.isHidden()

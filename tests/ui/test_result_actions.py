"""What can be done with a result: exports, a longer run, apply and revert on a made-up host."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox, QPushButton

from app.core_process import CommandRunner
from app.display_texts import typeset_text
from app.pages.apply_dialog import ApplyDialog
from app.pages.host_card import HostCard
from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage, longer_run
from app.run_session import RunSession
from app.theme.theme import Theme
from scheduler.errors import SpecError
from scheduler.export.exporters import list_exporters
from scheduler.model.command_answers import ApplyResult
from scheduler.model.decision import DecisionKind, SweepDecision
from scheduler.model.documents import RunOutcome, TrialDone
from scheduler.model.objective import Objective
from scheduler.model.plan_file import parse_plan
from scheduler.model.results import Recommendation, SplitVerdict
from scheduler.model.split import parse_split
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents, make_spec
from tests.settings import setting_at, split_at, splits_at
from tests.ui.looks import clipped, not_reached_by_tab
from tests.ui.recorded import recorded_result
from tests.ui.test_session import spec_for
from tests.volume import few

_LIMIT_MS = 40_000


def _show(page: ResultPage, **options):
    finding = recorded_result(**options)
    page.show_finding(finding)
    return list(finding.trials)


def test_unfinished_run_can_be_continued(page: ResultPage, qtbot):
    _show(page, trials=31, outcome=RunOutcome.ABORTED)
    with qtbot.waitSignal(page.continue_wanted) as asked:
        qtbot.mouseClick(page.footer.go_on, Qt.MouseButton.LeftButton)
    assert asked.args == [page.finding.results.run_id]
    assert page.footer.go_on.property("kind") == "primary"
    _show(page)
    assert not page.footer.go_on.isVisible()


def test_split_that_gains_is_to_be_applied(page: ResultPage):
    page.show_finding(result_data_of(list(_slow_as_found(make_documents()))))
    answer = page.answer
    assert answer.gain_ci95_frac[0] > 0
    assert page.head.sentence.text() == typeset_text(answer.headline)
    assert page.footer.apply.property("kind") == "primary"
    assert page.plot.crown.toPlainText() == f"change to {answer.label}"
    assert [bar.split.label for bar in page.head._bars] == [answer.label]
    assert any(part.text().startswith(f"change to {answer.label}") for part in page.regret.findChildren(QLabel))


@pytest.mark.parametrize("simulated", [False, True])
def test_host_that_is_faster_original_is_to_be_kept(page: ResultPage, simulated: bool):
    _show(page, simulated=simulated)
    answer = page.answer
    assert answer.gain_ci95_frac[1] < 0
    sentence = page.head.sentence.text()
    assert sentence == typeset_text(answer.headline)
    assert sentence.startswith("Keep the original settings: no split gains")
    assert page.head._bars == [], "a bar is the split to take"
    assert answer.label in sentence
    assert ("(simulated)" in sentence) == simulated
    assert page.plot.crown.toPlainText() == "best"
    strong = [button for button in page.footer.findChildren(QPushButton) if button.property("kind") == "primary"]
    assert strong == ([page.footer.other] if simulated else []), "a course goes on; an administrator has nothing to do"
    assert page.footer.apply.isVisibleTo(page) != simulated
    assert page.footer.apply.isEnabled() != simulated
    assert page.footer.apply.toolTip()


@pytest.mark.parametrize("unfinished", [False, True])
def test_actions_not_decided_yet_continue_for_the_minutes_that_would_decide(page: ResultPage, unfinished: bool, qtbot):
    _show(page)
    finding = page.finding
    undecided = SweepDecision(kind=DecisionKind.NOT_YET, setting=page.answer.setting, minutes_left=12.0)
    answer = msgspec.structs.replace(page.answer, decision=undecided)
    outcome = RunOutcome.ABORTED if unfinished else RunOutcome.COMPLETED
    results = msgspec.structs.replace(finding.results, answer=answer, outcome=outcome)
    page.show_finding(replace(finding, results=results))
    strong = [button for button in page.footer.findChildren(QPushButton) if button.property("kind") == "primary"]
    assert strong == [page.footer.go_on]
    assert page.footer.go_on.text() == "Continue for about 12 min"
    with qtbot.waitSignal(page.continue_wanted if unfinished else page.lengthen_wanted) as asked:
        page.footer.go_on.click()
    assert asked.args == [page.finding.results.run_id, *([] if unfinished else [12.0])]
    page.show_finding(replace(page.finding, continued=True))
    assert not page.footer.go_on.isVisible()
    assert "The gain is uncertain" in page.footer.apply.toolTip()


def test_actions_gain_not_measured_offer_a_run_with_the_original_settings(page: ResultPage):
    _show(page, spec=msgspec.structs.replace(make_spec(), baseline=False))
    assert page.answer.decision.kind is DecisionKind.UNKNOWN
    assert page.footer.confirm.property("kind") == "primary"
    assert "was not measured" in page.footer.apply.toolTip()
    assert longer_run(page.finding.run.spec, page.answer).baseline


def test_export_bundle_split_not_ordered_asks_for_a_choice(page: ResultPage, tmp_path: Path, qtbot):
    _show(page)
    assert page.answer.decision.kind is DecisionKind.STAY
    page.footer.bundle.click()
    asking = page.findChild(QMessageBox)
    assert page.answer.label in asking.text()
    assert asking.defaultButton().text() == "&Cancel"
    assert page.findChild(QFileDialog) is None
    [button] = [each for each in asking.buttons() if "anyway" in each.text()]
    button.click()
    _choose(page, tmp_path / "out")
    qtbot.waitUntil(page.message.isVisible, timeout=_LIMIT_MS)
    assert page.message.text.text().startswith("Saved: ")


def _slow_as_found(documents):
    for document in documents:
        as_found = isinstance(document, TrialDone) and document.setting is None
        yield msgspec.structs.replace(document, mean_tps=document.mean_tps / 3) if as_found else document


def test_confirming_plans_a_longer_run_of_the_contenders(page: ResultPage, qtbot):
    _show(page, noise=0.1)
    with qtbot.waitSignal(page.confirm_wanted) as asked:
        page.footer.confirm.click()
    spec, answer, old = asked.args[0], page.answer, page.finding.run.spec
    labels = [setting.label for setting in spec.settings]
    assert answer.label in labels
    assert set(answer.equivalent) <= set(spec.settings)
    assert 2 <= len(labels) < len(old.settings)
    assert spec.protocol.repeats * spec.protocol.measure_s > old.protocol.repeats * old.protocol.measure_s
    assert spec.seed != old.seed


def test_longer_run_has_the_split_that_a_sweep_came_to_by_itself():
    spec = make_spec(splits=("1:4", "1:1", "4:1"))
    answer = Recommendation(
        verdict=SplitVerdict.RECOMMEND, setting=setting_at("2:3"), runner_up=split_at("1:1"), possible=splits_at("1:4")
    )
    assert [setting.label for setting in longer_run(spec, answer).settings] == ["1:4", "1:1", "2:3"]


def test_longer_run_keeps_the_objective_and_the_loads_own_best_splits():
    spec = msgspec.structs.replace(make_spec(), objective=Objective("worst-case"))
    answer = recorded_result(spec=spec, samples=False).results.answer
    longer = longer_run(spec, answer)
    best = {row.label for row in answer.regret if 0 in row.loss_frac.values()}
    assert best <= {setting.label for setting in longer.settings}
    assert longer.objective == spec.objective


def test_longer_run_never_leaves_the_allowed_ranges():
    spec = make_spec(repeats=900, measure_s=80_000)
    answer = recorded_result(samples=False).results.answer
    longer = longer_run(spec, answer)
    assert longer.protocol.repeats == 1000
    assert longer.protocol.measure_s == 86_400


def test_how_it_ran_can_be_asked_for(page: ResultPage, qtbot):
    _show(page)
    with qtbot.waitSignal(page.replay_wanted) as asked:
        page.footer.replay.click()
    assert asked.args == [page.finding.results.run_id]


def _choose(page: ResultPage, path: Path) -> None:
    """Give the dialog's answer: the name, and that a file of that name may be replaced."""
    asking = page.findChild(QFileDialog)
    asking.fileSelected.emit(str(path))
    asking.reject()


@pytest.mark.parametrize("kind", few(["csv", "bundle"], ["json", "html", "plan"]))
def test_every_export_writes_what_is_on_the_screen(page: ResultPage, kind, tmp_path: Path, qtbot):
    _show(page)
    page.weights.slider.setValue(100)
    qtbot.waitUntil(lambda: page.answer.weights["osdb-oltp"] == 1.0)
    target = tmp_path / "out"
    page.footer.export_wanted.emit(kind)
    for asking in page.findChildren(QMessageBox):
        next(each for each in asking.buttons() if "anyway" in each.text()).click()
    _choose(page, target)
    qtbot.waitUntil(page.message.isVisible, timeout=_LIMIT_MS)
    assert page.message.text.text().startswith("Saved: ")
    written = list(tmp_path.glob("out*"))
    assert written
    if kind == "json":
        answer = json.loads(written[0].read_text())["answer"]
        assert answer["setting"] == msgspec.to_builtins(page.answer.setting)
    if kind == "plan":
        assert parse_plan(written[0].read_text()).weights == {"osdb-ir": 0.0, "osdb-oltp": 1.0}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"simulated": True}, "simulated sweeps"),
        ({"trials": 3, "outcome": RunOutcome.ABORTED}, "No split could be compared"),
    ],
)
def test_configuration_that_cannot_be_is_not_offered_and_why(page: ResultPage, options, why, tmp_path):
    _show(page, **options)
    finding, answer = page.finding, page.answer
    assert not page.footer.bundle.isEnabled()
    assert why in page.footer.bundle.toolTip()
    with pytest.raises(SpecError):
        list_exporters()["bundle"].write(*finding.shown(answer), finding.run.facts, tmp_path / "out.zip")
    _show(page)
    assert page.footer.bundle.isEnabled()


def test_export_that_fails_reports_why(page: ResultPage, tmp_path: Path, qtbot):
    _show(page)
    (tmp_path / "file").write_text("in the way")
    page.footer.export_wanted.emit("csv")
    _choose(page, tmp_path / "file" / "x.csv")
    qtbot.waitUntil(page.message.isVisible, timeout=_LIMIT_MS)
    assert page.message.text.text().startswith("The export failed")
    assert page.message.hint.text()


@pytest.mark.parametrize("answer", ["&Replace", "&Keep them"])
def test_second_file_of_an_export_is_replaced_only_when_agreed_to(page, answer, tmp_path, qtbot):
    _show(page)
    target, beside = tmp_path / "out.csv", tmp_path / "out-trials.csv"
    target.write_text("agreed to by the file dialog")
    beside.write_text("mine")
    page.footer.export_wanted.emit("csv")
    _choose(page, target)
    qtbot.waitUntil(lambda: page.findChild(QMessageBox) is not None, timeout=_LIMIT_MS)
    asking = page.findChild(QMessageBox)
    assert "out-trials.csv" in asking.informativeText()
    assert asking.defaultButton().text() == "&Keep them"
    [button] = [each for each in asking.buttons() if each.text() == answer]
    button.click()
    if answer == "&Replace":
        qtbot.waitUntil(page.message.isVisible, timeout=_LIMIT_MS)
        assert page.message.text.text().startswith("Saved: ")
    assert (beside.read_text() == "mine", target.read_text()[:6] == "agreed") == (answer != "&Replace",) * 2


def test_cancelled_export_writes_nothing(page: ResultPage, qtbot):
    _show(page)
    page.footer.export_wanted.emit("csv")
    asking = page.findChild(QFileDialog)
    gone: list[object] = []
    asking.destroyed.connect(lambda: gone.append(None))
    asking.reject()
    qtbot.waitUntil(lambda: bool(gone))
    assert not page.message.isVisible()


def test_everything_can_be_reached_by_keyboard(page: ResultPage):
    _show(page)
    assert not_reached_by_tab(page) == []


@pytest.fixture
def run_id(home: Path, qtbot) -> str:
    session = RunSession(CommandRunner())
    with qtbot.waitSignal(session.ended, timeout=_LIMIT_MS):
        session.begin(spec_for(home))
    return session.run_id


def test_stored_run_is_shown_and_applied_and_reverted(page: ResultPage, run_id: str, home: Path, qtbot):
    page.show_run(run_id)
    qtbot.waitUntil(lambda: page.finding is not None, timeout=_LIMIT_MS)
    before = (home / "host.json").read_text()
    page.footer.apply_wanted.emit()
    dialog = page.findChild(ApplyDialog)
    qtbot.waitUntil(lambda: bool(dialog.table.source.table.rows), timeout=_LIMIT_MS)
    assert dialog.doubt.isVisible()
    assert not dialog.apply.isEnabled(), "the decision orders no split"
    dialog.doubt.agreed.click()
    assert dialog.apply.isEnabled()
    rows = dialog.table.source.table.rows
    assert rows
    assert all(row[4] == "" for row in rows)
    assert dialog.commands.toPlainText()
    assert clipped(dialog) == []
    assert (home / "host.json").read_text() == before
    dialog._again.setInterval(50)
    with qtbot.waitSignal(dialog.applied, timeout=_LIMIT_MS):
        qtbot.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        assert dialog.isVisible(), "it must tell what came of the write"
    assert all(row[4] == row[3] for row in dialog.table.source.table.rows)
    qtbot.waitUntil(lambda: "Verified again" in dialog.message.text.text(), timeout=_LIMIT_MS)
    dialog.close_button.click()
    again = ApplyDialog(page._theme, page._runner, page.finding.results, parse_split(dialog.answer.split))
    qtbot.addWidget(again)
    again.show()
    qtbot.waitUntil(lambda: "nothing to apply" in again.message.text.text(), timeout=_LIMIT_MS)
    assert not again.apply.isEnabled()
    assert page.applied.isVisible()
    assert (home / "host.json").read_text() != before
    page.applied.revert.click()
    qtbot.waitUntil(lambda: "reverted and verified" in page.applied.text.text(), timeout=_LIMIT_MS)
    assert page.applied.isVisible()
    page.applied.dismiss.click()
    assert not page.applied.isVisible()


def test_apply_that_fails_reports_why_and_changes_nothing(theme: Theme, runner: CommandRunner, home: Path, qtbot):
    results = msgspec.structs.replace(summarise_run(make_documents()), run_id="no-such-run")
    dialog = ApplyDialog(theme, runner, results, parse_split("1:1"))
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.message.property("look") == "bar-danger", timeout=_LIMIT_MS)
    assert not dialog.apply.isEnabled()


def test_run_that_is_not_there_is_reported_it(page: ResultPage, qtbot):
    page.show_run("no-such-run")
    qtbot.waitUntil(page.message.isVisible, timeout=_LIMIT_MS)
    assert "no-such-run" in page.message.text.text()


def test_host_with_an_applied_split_reports_it_and_takes_it_back(
    theme: Theme, runner: CommandRunner, run_id: str, home: Path, qtbot
):
    before = (home / "host.json").read_text()
    applying = runner.run_once(["apply", run_id, "--split", "1:1", "--json"])
    qtbot.waitUntil(lambda: applying.exit_code is not None, timeout=_LIMIT_MS)
    answer = applying.read(ApplyResult)
    assert answer.done
    card = HostCard(theme, runner, answer.host, "made up")
    qtbot.addWidget(card)
    card.show()
    card.look()
    qtbot.waitUntil(card.applied.isVisible, timeout=_LIMIT_MS)
    assert "Split applied" in card.applied.text()
    qtbot.mouseClick(card.revert_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not card.applied.isVisible(), timeout=_LIMIT_MS)
    assert not card.revert_button.isVisible()
    assert (home / "host.json").read_text() == before


def test_actions_not_decided_and_minutes_unknown_offer_a_longer_run(page: ResultPage):
    _show(page)
    undecided = SweepDecision(kind=DecisionKind.NOT_YET, setting=page.answer.setting)
    answer = msgspec.structs.replace(page.answer, decision=undecided)
    results = msgspec.structs.replace(page.finding.results, answer=answer)
    page.show_finding(replace(page.finding, results=results))
    assert not page.footer.go_on.isVisible()
    assert page.footer.confirm.property("kind") == "primary"

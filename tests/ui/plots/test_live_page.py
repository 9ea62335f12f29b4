"""What the live page draws, on documents of whole sweeps."""

import math

import msgspec
import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.pages.live_page import LivePage
from app.plots.throughput_plot import ThroughputPlot
from app.theme.theme import Appearance, Theme
from scheduler.model.documents import HostSample, LoadSample, SettlingCause, TrialDone, TrialStarted
from scheduler.model.load_looks import BLUE
from scheduler.model.number_texts import format_table_number
from scheduler.model.setting import label_of
from scheduler.model.split import GUEST
from tests.data_maker import make_documents, make_spec
from tests.ui.plots.helpers import redrawn
from tests.ui.recorded import RecordedSession


def test_plots_draw_exactly_what_the_table_twins_report(page: LivePage, session: RecordedSession):
    page.attach(session)
    session.play_until(TrialDone, 40)
    plots = redrawn(page).plots
    for load in plots.split._loads:
        x, y = load.marks.getData()
        rows = [row for row in _rows(plots.split_frame) if row[1] == {"osdb-ir": "IR", "osdb-oltp": "OLTP"}[load.kind]]
        drawn = {point.label: tps for (_, point), tps in zip(_good(load.shown), y, strict=True)}
        reported = {str(row[0]): row[2] for row in rows if row[2] is not None}
        assert load.base.value() == reported.pop("the original settings")
        assert drawn == reported
        assert list(x) == sorted(x)
    shares = {(str(row[0]), row[1]): row[2:] for row in _rows(plots.share_frame)}
    for (domain, kind), marks in plots.share.used.items():
        name = {"osdb-ir": "IR", "osdb-oltp": "OLTP"}[kind]
        column = 1 if domain == "io" else 3
        known = [
            row[column] for (split, load), row in shares.items() if load == name and split != "the original settings"
        ]
        assert sorted(100 * marks.getData()[1]) == pytest.approx(sorted(share for share in known if share is not None))


def _good(shown):
    return [(x, point) for x, point in shown if point.mean_tps is not None]


def _rows(frame):
    frame.table_button.setChecked(True)
    rows = frame.table.source.table.rows
    frame.table_button.setChecked(False)
    return rows


def test_load_has_one_mark_in_every_plot_and_a_domain_one_filling(page: LivePage, session, theme: Theme):
    page.attach(session)
    session.play_until(TrialDone, 5)
    plots = redrawn(page).plots
    marks = {load.kind: load.marks.opts["symbol"] for load in plots.split._loads}
    assert len(set(marks.values())) == len(marks)
    for (domain, kind), drawn in plots.share.used.items():
        assert drawn.opts["symbol"] == marks[kind]
        filled = drawn.opts["brush"].color().name() != QColor(theme.palette.raised).name()
        assert filled == (domain == "io")


def test_grid_lies_under_what_is_drawn(page: LivePage):
    for frame in page.plots.frames:
        view = frame.plot.view
        assert all(frame.plot.item.getAxis(side).zValue() < view.zValue() for side in ("left", "bottom"))


def test_log_takes_nothing_of_the_lower_plots(page: LivePage, session, qtbot):
    page.attach(session)
    session.play_until(TrialDone, 20)
    lower = page.plots.frames[1:]
    widths = [frame.width() for frame in lower]
    page.strip.log.setChecked(True)
    redrawn(page)
    assert page.plots.log.isVisible()
    assert [frame.width() for frame in lower] == widths
    assert all(frame.plot.view.height() >= 40 for frame in lower)


def test_split_that_the_plan_did_not_name_is_drawn_and_ringed_in_its_place(page: LivePage):
    documents = make_documents(spec=make_spec(splits=("1:4", "2:3", "1:1", "4:1"), kinds=("osdb-ir",)))
    planned = make_spec(splits=("1:4", "1:1", "4:1"), kinds=("osdb-ir",))
    session = RecordedSession([msgspec.structs.replace(documents[0], spec=planned), *documents[1:]])
    page.attach(session)
    trials = [document for document in documents if isinstance(document, TrialDone)]
    first = next(number for number, trial in enumerate(trials) if label_of(trial.setting) == "2:3")
    session.play_until(TrialDone, first)
    session.play_until(LoadSample, 8)
    plots = redrawn(page).plots
    assert plots.split._pulse.place.x() == pytest.approx(math.log(2 / 3))
    session.play_until(TrialDone, len(trials) - first)
    plots = redrawn(page).plots
    assert {point.label for _, point in plots.split._loads[0].shown} == {"1:4", "2:3", "1:1", "4:1"}
    assert [label for _, label, _ in plots.split._axis.rows()] == ["1:4", "2:3", "1:1", "4:1"]
    assert len(plots.share.used["io", "osdb-ir"].getData()[0]) == 4


def test_whole_run_over_time_is_the_table_where_nothing_needs_thinning(page: LivePage):
    documents = make_documents(repeats=1)
    for document in documents:
        page.take(document)
    page.plots.show_whole_run()
    plots = redrawn(page).plots
    table = _rows(plots.throughput_frame)
    for kind, name in (("osdb-ir", "IR"), ("osdb-oltp", "OLTP")):
        y = plots.throughput.counted[kind].getData()[1]
        assert list(y[~np.isnan(y)]) == [row[2] for row in table if row[1] == name and not row[3]]
    io = plots.cpu.io.getData()
    cpu = {row[0]: row[1] for row in _rows(plots.cpu_frame)}
    for t_s, share in zip(*io, strict=True):
        assert share == 0.0 or 100 * share == pytest.approx(cpu[t_s])


def test_seconds_of_stalls_are_marked_faint_and_named_and_stay_in_the_table(page: LivePage):
    documents = make_documents(repeats=1)
    done = next(document for document in documents if isinstance(document, TrialDone) and document.trial == 3)
    ends_s = tuple(d.t_s for d in documents if isinstance(d, LoadSample) and d.trial == 3)[-4:-1]
    for document in documents[: documents.index(done)]:
        page.take(document)
    plot = redrawn(page).plots.throughput
    assert not any("stalled" in entry.words for entry in plot.legend(plot.theme.palette))
    counted = plot.counted[done.load].getData()[0]
    page.take(msgspec.structs.replace(done, stalled_at_s=ends_s))
    plots = redrawn(page).plots
    assert set(counted) - set(plots.throughput.counted[done.load].getData()[0]) == set(ends_s)
    assert [(box.left(), box.right()) for box in plot._shade._stalled] == [(ends_s[0] - 1, ends_s[-1])]
    assert any("stalled" in entry.words for entry in plot.legend(plot.theme.palette))
    assert [row[0] for row in _rows(plots.throughput_frame) if row[3] == "stalled"] == list(ends_s)


def test_guest_of_several_cpus_is_drawn_whole_on_axes_of_whole_cpus(page: LivePage):
    for document in make_documents(repeats=1):
        shown = document
        if isinstance(document, HostSample):
            guest = msgspec.structs.replace(document.domains[GUEST], user_frac=3.4)
            shown = msgspec.structs.replace(document, domains={**document.domains, GUEST: guest})
        if isinstance(document, TrialDone):
            shown = msgspec.structs.replace(document, used_frac={**document.used_frac, GUEST: 3.4})
        page.take(shown)
    plots = redrawn(page).plots
    for plot in (plots.cpu, plots.share):
        low, high = plot.canvas.viewRange()[1]
        assert low == 0
        assert 3.4 < high < 6
        ((_, ticks),) = plot.canvas.getAxis("left").tickValues(low, high, 120)
        assert set(ticks) <= {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}


def test_ticks_remain_where_throughput_was_found_level_and_nowhere_else(page: LivePage):
    for document in make_documents(repeats=3, noise=0.01):
        page.take(document)
    plots = redrawn(page).plots
    board, plot = plots._board, plots.throughput
    x, y = plot._level.getData()
    assert set(board.steady_state_s) == {SettlingCause.SPLIT}
    assert 3 <= board.steady_state_s[SettlingCause.SPLIT] <= 5
    shown = [span for span in board.spans if span.began_s >= x[0] - 10 and span.result.change is SettlingCause.SPLIT]
    assert list(x[::2]) == [span.began_s + board.steady_state_s[SettlingCause.SPLIT] for span in shown]
    assert set(y[::2]) == {0.0}
    assert any("steady" in entry.words for entry in plot.legend(plot.theme.palette))


def test_long_run_has_its_strip_of_splits_without_a_hole(page: LivePage):
    documents = make_documents(spec=make_spec(repeats=40))
    for document in documents:
        page.take(document)
    page.plots.show_whole_run()
    plot = redrawn(page).plots.throughput
    axis = plot._times
    image = axis._strip_image(300, 9)
    palette = page.plots.throughput.theme.palette
    known = {QColor(colour).rgba() for colour in (palette.io, palette.guest, palette.edge)}
    seen = [{image.pixelColor(x, y).rgba() for y in range(9)} for x in range(300)]
    assert len(axis._spans) > 300
    assert sum(colours <= known for colours in seen) >= 290
    assert sum(len(colours) == 2 for colours in seen) >= 200


def test_whiskers_tighten_as_repeats_arrive(page: LivePage):
    session = RecordedSession(make_documents(repeats=6))
    page.attach(session)
    widths = []
    for _ in range(5):
        session.play_until(TrialDone, 20)
        ci = page.board.points.get(("1:2", "osdb-oltp"))
        if ci is not None and ci.ci95_tps is not None:
            widths.append(ci.ci95_tps[1] - ci.ci95_tps[0])
    redrawn(page)
    assert widths[-1] < 0.75 * widths[0]  # two trials borrow from all splits: they are not as wide as they were
    load = page.plots.split._loads[1]
    point = page.board.points["1:2", "osdb-oltp"]
    at = [point.label for _, point in load.shown].index("1:2")
    assert load.whiskers.opts["top"][at] == pytest.approx(point.ci95_tps[1] - point.mean_tps)


def test_current_trial_is_ringed_at_its_latest_figure(page: LivePage, session: RecordedSession):
    page.attach(session)
    session.play_until(TrialStarted, 6)
    session.play_until(LoadSample, 7)
    redrawn(page)
    place = page.plots.split._pulse.place
    span = page.board.span
    setting = next(s for s in page.board.run.spec.settings if s == span.setting)
    assert place.x() == pytest.approx(setting.position, abs=0.05)
    assert place.y() == page.board.loads[span.load].column("tps")[-1]
    session.play_until(TrialDone)
    assert redrawn(page).plots.split._pulse.place is None


def test_system_without_animations_gets_a_ring_that_holds_still(page: LivePage, session, monkeypatch):
    page.attach(session)
    session.play_until(TrialStarted, 6)
    session.play_until(LoadSample, 7)
    monkeypatch.setattr(Theme, "animation_ms", property(lambda _: 0))
    redrawn(page)
    pulse = page.plots.split._pulse
    assert pulse._animation.state() == pulse._animation.State.Stopped
    assert pulse.place is not None


def test_invalid_trial_is_a_cross_and_a_hatched_segment_and_a_warning(page: LivePage, session):
    page.attach(session)
    session.play(100_000)
    page.strip.log.setChecked(True)
    redrawn(page)
    assert len(page.plots.split._loads[0].failed.getData()[0]) == 1
    number = next(v.trial for v in page.board.trials if not v.valid)
    assert "did not report" in page.strip.progress.words_for(number)
    assert "5:2, IR: excluded" in page.plots.log.text.toPlainText()


def test_pointing_reports_the_numbers_in_full(page: LivePage, session):
    page.attach(session)
    session.play_until(TrialDone, 50)
    plots = redrawn(page).plots
    x, point = plots.split._loads[0].shown[3]
    words = plots.split.words_at(x, point.mean_tps)
    assert f"{format_table_number(point.mean_tps)} tuples/s" in words
    assert point.label in words
    assert plots.split.words_at(x, point.mean_tps * 100) == ""
    baseline = page.board.points["baseline", "osdb-ir"]
    assert "the original settings" in plots.split.words_at(1.3, baseline.mean_tps)
    t_s = page.board.loads["osdb-oltp"].column("t_s")[-1]
    assert "tuples/s" in plots.throughput.words_at(t_s, 0.0)
    assert "allotted" in plots.cpu.words_at(t_s, 0.0)
    assert "idle" in plots.cpu.words_at(t_s, 0.0)
    latest_s = max(seconds.column("t_s")[-1] for seconds in page.board.loads.values())
    assert plots.throughput.words_at(latest_s + 60.0, 0.0) == ""
    assert "Guest" in plots.share.words_at(0.0, 0.0)
    assert plots.share.words_at(0.35, 0.0) == ""


def test_plot_follows_the_palette_at_once(page: LivePage, session, theme: Theme):
    page.attach(session)
    session.play_until(TrialDone, 30)
    redrawn(page)
    light = page.plots.split.grab().toImage().pixelColor(4, 4)
    pen = page.plots.throughput.counted["osdb-ir"].opts["pen"].color().name()
    theme.set_appearance(Appearance.DARK)
    assert page.plots.split.grab().toImage().pixelColor(4, 4).name() == theme.palette.raised.lower()
    assert light.name() != theme.palette.raised.lower()
    assert page.plots.throughput.counted["osdb-ir"].opts["pen"].color().name() == BLUE.dark.lower() != pen


def test_hidden_page_draws_nothing_and_catches_up_when_shown(page: LivePage, session):
    page.attach(session)
    page.hide()
    session.play_until(TrialDone, 10)
    page.redraw()
    assert page.plots.split.shown == {}
    page.show()
    assert page.plots.split.shown


def test_unchanged_means_not_drawn_again(page: LivePage, session, monkeypatch):
    page.attach(session)
    session.play_until(TrialDone, 3)
    redrawn(page)
    drawn = []
    monkeypatch.setattr(ThroughputPlot, "draw", lambda *_: drawn.append(1))
    page.redraw()
    assert not drawn
    session.play(2)
    page.redraw()
    assert drawn

"""CPU use in the window on several shared CPUs: in CPUs, with all shared CPUs as the full height."""

import msgspec
import pytest

from app.observe.cpu_usage_plot import CpuUsagePlot
from app.pages.why_card import ShareBars, ShareRowLayout
from app.plots.cpu_plot import CpuPlot
from app.plots.cpu_tables import cpu_table, shares_table
from app.plots.live_texts import log_text
from app.plots.plot_tables import trials_table
from app.plots.run_board import RunBoard
from app.plots.share_plot import SharePlot
from scheduler.model.documents import RunStarted
from scheduler.model.observation_documents import ObservationWindow
from scheduler.model.split import GUEST, IO, parse_split
from tests.data_maker import make_documents

pytestmark = pytest.mark.ui


@pytest.fixture(scope="module")
def board() -> RunBoard:
    made = RunBoard()
    for document in make_documents(repeats=1):
        made.take(put_on_four_cpus(document) if isinstance(document, RunStarted) else document)
    return made


def put_on_four_cpus(started: RunStarted) -> RunStarted:
    """Return a run's first document with four shared CPUs and two vCPUs of the guest."""
    vcpus = {IO: 4, GUEST: 2}
    domains = tuple(msgspec.structs.replace(each, vcpus=vcpus[each.id]) for each in started.facts.domains)
    facts = msgspec.structs.replace(started.facts, shared_cpus=(0, 1, 2, 3), pcpus=4, domains=domains)
    return msgspec.structs.replace(started, facts=facts)


def test_share_plot_draws_used_and_allotted_on_one_axis_of_cpus(board, theme, qtbot):
    plot = SharePlot(theme)
    qtbot.addWidget(plot)
    plot.set_sweep(board.run.spec, board.run.facts)
    plot.set_points(board.points)
    point = next(p for p in board.points.values() if p.allotted_share)
    allotted = [4 * p.allotted_share[IO] for p in board.points.values() if p.allotted_share]
    assert sorted(set(plot.allotted[IO].getData()[1])) == pytest.approx(sorted(set(allotted)))
    assert plot.canvas.viewRange()[1][1] == pytest.approx(4 * 1.08)
    assert plot.canvas.getAxis("left").tickStrings([2.0], 1, 1) == ["2"]
    assert plot.limits.lines[GUEST].isVisible()
    assert plot.limits.lines[GUEST].value() == 2
    assert not plot.limits.lines[IO].isVisible()
    assert "vCPUs" in {entry.words for entry in plot.legend(theme.palette)}
    assert f"of {4 * point.allotted_share[IO]:.2f} CPUs" in plot.words_at(point.setting.position, 0).replace(
        "\u202f", " "
    ).replace("\xa0", " ")


def test_cpu_plot_has_all_shared_cpus_as_full_height(board, theme, qtbot):
    plot = CpuPlot(theme)
    qtbot.addWidget(plot)
    plot.draw(board, 0.0)
    assert plot.canvas.viewRange()[1][1] == pytest.approx(4 * 1.08)
    assert max(plot.all.getData()[1]) == 4
    assert plot.canvas.getAxis("left").tickStrings([2.0], 1, 1) == ["2"]


def test_tables_name_cpus_as_unit(board):
    shares = shares_table(board.points.values(), board.cpus)
    assert "Guest allotted (CPUs)" in shares.headers
    point = next(p for p in board.points.values() if p.allotted_share)
    row = list(board.points.values()).index(point)
    assert shares.rows[row][shares.headers.index("I/O domain allotted (CPUs)")] == 4 * point.allotted_share[IO]
    assert "Idle (CPUs)" in cpu_table(board, 0.0).headers


def test_bars_of_the_reasons_count_in_cpus(board, theme, qtbot):
    bars = ShareBars(theme)
    qtbot.addWidget(bars)
    point = next(p for p in board.points.values() if p.allotted_share)
    bars.show_point(point, ShareRowLayout(full_cpus=4, shared_cpus=4))
    assert f"{4 * point.allotted_share[IO]:.2f}" in bars.accessibleName()
    assert "CPUs" in bars.accessibleName()


def test_trials_table_counts_cpu_used_in_cpus(board):
    table = trials_table(board.trials, board.cpus)
    used = [row[table.headers.index("I/O domain CPU (CPUs)")] for row in table.rows]
    assert used == [trial.used_frac[IO] for trial in board.trials]


def test_watched_cpu_is_drawn_in_cpus_next_to_cpu_allotted(theme, qtbot):
    plot = CpuUsagePlot(theme)
    qtbot.addWidget(plot)
    plot.begin(8, simulated=False)
    used = {"io_cpus": 1.28, "guest_cpus": 2.5, "io_allowed_cpus": 2.0, "guest_allowed_cpus": 6.0, "others_frac": 0.25}
    plot.take(ObservationWindow(t_s=10.0, split=parse_split("1:3"), **used))
    plot.take(ObservationWindow(t_s=20.0, split=parse_split("1:3"), **used))
    plot.draw()
    assert plot.canvas.viewRange()[1][1] == pytest.approx(8 * 1.08)
    assert plot.canvas.getAxis("left").tickStrings([2.0], 1, 1) == ["2"]
    assert list(plot.used[IO].getData()[1]) == [1.28, 1.28]
    assert list(plot.allowed[GUEST].getData()[1]) == [6.0, 6.0]
    words = plot.words_at(10.0, 0.0).replace("\u202f", " ").replace("\xa0", " ")
    assert "1.28 CPUs used of 2.00 CPUs allotted" in words
    assert "others used 2.00 CPUs" in words
    table = plot.table()
    assert table.headers[1:] == (
        "I/O domain used (CPUs)",
        "Guest used (CPUs)",
        "I/O domain allotted (CPUs)",
        "Guest allotted (CPUs)",
        "Others used (CPUs)",
    )
    assert table.rows[0] == (10.0, 1.28, 2.5, 2.0, 6.0, 2.0)


def test_watched_cpu_of_one_cpu_stays_in_percent(theme, qtbot):
    plot = CpuUsagePlot(theme)
    qtbot.addWidget(plot)
    plot.begin(8, simulated=False)
    plot.begin(1, simulated=False)
    used = {"io_cpus": 0.25, "guest_cpus": 0.5, "io_allowed_cpus": 0.5, "guest_allowed_cpus": 0.5}
    plot.take(ObservationWindow(t_s=10.0, split=parse_split("1:1"), **used))
    plot.draw()
    assert plot.canvas.viewRange()[1][1] == pytest.approx(1.08)
    assert plot.canvas.getAxis("left").tickStrings([0.5], 1, 1) == ["50"]
    assert plot.table().headers[1] == "I/O domain used (%)"
    assert plot.table().rows[0][1] == 25.0


def test_log_counts_cpu_used_in_cpus(board):
    trial = next(trial for trial in board.trials if trial.valid)
    words = " ".join(log_text(trial, board.cpus)[1].split())
    assert f"I/O {trial.used_frac[IO]:.2f} CPUs" in words
    assert "CPUs" not in log_text(trial)[1]

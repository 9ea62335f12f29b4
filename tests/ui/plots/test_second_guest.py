"""A study of two guests while it runs: the second guest is there wherever the other two domains are."""

import msgspec
import pytest
from PySide6.QtGui import QColor

from app.pages.live_page import LivePage
from app.plots.cpu_tables import cpu_table, shares_table
from app.plots.live_texts import log_text
from app.plots.plot_tables import trials_table
from scheduler.model.documents import HostSample, TrialDone, TrialStarted
from scheduler.model.domain_sample import DomainSample
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES
from tests.data_maker import make_documents
from tests.studies_maker import capacity_documents, isolation_documents, overhead_documents
from tests.ui.plots.helpers import redrawn
from tests.ui.recorded import RecordedSession

GOT = {IO: 0.3, GUEST: 0.2, GUEST_2: 0.4}
AS_FOUND = 'host = "local:"\nstudy = "capacity"\n[[load]]\nkind = "tpcb"\nusers = 4\n'
_S = 10.0


def documents():
    """Yield a run in which each second of a trial has all three domains' CPU, the same in each."""
    started, *trials, stopped = isolation_documents()
    yield started
    for number, trial in enumerate(trials):
        t_s = _S * number
        yield TrialStarted(
            t_s=t_s,
            trial=number,
            setting=trial.setting,
            load=trial.load,
            block=trial.block,
            settle_s=1.0,
            measure_s=_S - 2,
            allotted_frac=trial.allotted_frac,
        )
        shares = {domain: trial.setting.split.frac_of(domain) for domain in ROLES}
        domains = {
            each: DomainSample(part, 0.0, memory_bytes=1, in_bytes=0, out_bytes=0, allotted_frac=shares[each])
            for each, part in GOT.items()
        }
        for second in range(1, int(_S)):
            yield HostSample(t_s=t_s + second, trial=number, domains=domains, idle_frac=0.1)
        yield msgspec.structs.replace(trial, t_s=t_s + _S - 0.5, trial=number, used_frac=GOT)
    yield msgspec.structs.replace(stopped, t_s=_S * len(trials))


@pytest.fixture
def plots(page: LivePage):
    for document in documents():
        page.take(document)
    page.plots.show_whole_run()
    return redrawn(page).plots


def column(table, words):
    at = table.headers.index(words)
    return [row[at] for row in table.rows]


def test_second_guest_is_drawn_and_reported_next_to_the_other_two_and_leaves_with_its_run(page, plots, theme):
    board = page.board
    tops = [max(curve.getData()[1]) for curve in (plots.cpu.io, plots.cpu.total, plots.cpu.second)]
    assert tops == pytest.approx([0.3, 0.5, 0.9])
    for plot in (plots.cpu, plots.share):
        keys = {entry.words: entry.colour for entry in plot.legend(theme.palette)}
        assert len({keys[name] for name in ("I/O domain", "Guest", "Second guest")}) == 3
    assert "Second guest" in plots.cpu.words_at(_S / 2, 0.0)
    assert set(plots.share.used[GUEST_2, "osdb-ir"].getData()[1]) == {0.4}
    assert list(plots.share.allotted[GUEST_2].getData()[1]) == pytest.approx([1 / 3] * 6)
    assert "Second guest" in plots.share.words_at(0.0, 0.0)
    assert set(column(cpu_table(board, 0.0), "Second guest (%)")) == {40.0}
    shares = shares_table(board.points.values())
    assert set(column(shares, "Second guest used (%)")) == {40.0}
    assert column(shares, "Second guest allotted (%)") == pytest.approx([100 / 3] * len(shares.rows))
    assert set(column(trials_table(board.trials), "Second guest CPU (%)")) == {40.0}
    assert all("second guest" in log_text(trial)[1] for trial in board.trials)
    session = RecordedSession(make_documents(repeats=1))
    page.attach(session)
    session.play(100_000)
    after = redrawn(page).plots
    for plot in (after.cpu, after.share):
        assert "Second guest" not in {entry.words for entry in plot.legend(theme.palette)}
    assert not after.cpu.second.isVisible()
    reported = (cpu_table(page.board, 0.0), shares_table(page.board.points.values()), trials_table(page.board.trials))
    assert not [word for table in reported for word in table.headers if "Second" in word]


def test_dashed_line_is_in_the_legend_where_something_is_allotted_alone(page, theme):
    def dashes(documents):
        session = RecordedSession(documents)
        page.attach(session)
        session.play(100_000)
        plots = redrawn(page).plots
        return [sum(entry.mark == "dash" for entry in plot.legend(theme.palette)) for plot in (plots.cpu, plots.share)]

    assert dashes(make_documents(repeats=1)) == [1, 1]
    assert dashes(capacity_documents(AS_FOUND)) == [0, 0]
    overhead = [
        msgspec.structs.replace(each, allotted_frac={IO: 0.5, GUEST: 0.5}) if confined(each) else each
        for each in overhead_documents(blocks=2)
    ]
    assert dashes(overhead) == [0, 1]  # no seconds, and one of three sides is confined: a line as wide as a mark
    x, y = page.plots.share.allotted[GUEST].getData()
    assert list(y) == [0.5, 0.5]
    assert x[0] < x[1]


def confined(document):
    return isinstance(document, TrialDone) and document.setting.split is not None


def test_both_strips_of_trials_show_what_a_second_guest_is_given(page, plots, theme):
    palette = theme.palette
    three = {QColor(colour).rgba() for colour in (palette.io, palette.guest, palette.guest_2)}
    for image in (plots.throughput._times._strip_image(200, 9), page.strip.progress.grab().toImage()):
        middle = image.width() // 40  # inside the first trial
        seen = [image.pixelColor(middle, y).rgba() for y in range(image.height())]
        assert three <= set(seen)
    boxes = plots.throughput.grab().toImage()
    assert three <= {boxes.pixelColor(x, y).rgba() for x in range(0, boxes.width(), 5) for y in range(boxes.height())}

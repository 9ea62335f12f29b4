"""Settings that no number places stand beside each other in their order, each with its words."""

import pytest
from msgspec.structs import replace

from app.plots.split_throughput_plot import SplitThroughputPlot
from app.theme.theme import Theme
from scheduler.model.plan_file import parse_plan
from tests.ui.stages import shown
from tests.ui.test_units_apart import point

pytestmark = pytest.mark.ui

PLAN = "host = 'local:'\nstudy = 'isolation'\nsplits = [{splits}]\n[[load]]\nkind = 'osdb-ir'\nusers = 3\n"


@pytest.fixture
def plot(theme: Theme, qtbot):
    made = SplitThroughputPlot(theme)
    with shown(made, qtbot):
        yield made


@pytest.mark.parametrize(("splits", "known"), [("'6:1:1'", "6:1:1 "), ("'6:1:1', '2:1:1'", "")])
def test_who_is_loaded_in_which_mode_is_reported_below_every_mark(plot: SplitThroughputPlot, splits: str, known: str):
    spec = parse_plan(PLAN.format(splits=splits))
    plot.prepare(spec)
    plot.set_points(
        {(each.label, "osdb-ir"): replace(point("1:1", "osdb-ir", 1000.0), setting=each) for each in spec.settings}
    )
    (load,) = plot._loads
    ordered = sorted(spec.settings, key=lambda each: each.position)
    assert [(x, each.label) for x, each in load.shown] == [(float(i), each.label) for i, each in enumerate(ordered)]
    assert [text for _, text, _ in plot._axis.rows()] == [each.tick.removeprefix(known) for each in ordered]
    assert load.line.xData.size == 0  # nothing lies between them
    plot.show_now(ordered[-1], "osdb-ir", 900.0, settling=False)
    assert plot._pulse.place.x() == len(ordered) - 1

"""Laws of the table twins: what does not count says why."""

import msgspec
import numpy as np

from app.plots.live_texts import log_text, point_words
from app.plots.plot_tables import points_table, trials_table
from scheduler.model.documents import TrialDone
from scheduler.model.host_properties import Severity
from scheduler.stats.points import build_points
from tests.data_maker import make_documents


def rows_of(trials):
    table = trials_table(trials)
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def test_every_trial_has_its_row_and_reports_whether_it_counts_and_was_steady():
    trials = [document for document in make_documents() if isinstance(document, TrialDone)]
    rising = tuple(np.linspace(500.0, 1500.0, 10))
    trials[30] = msgspec.structs.replace(trials[30], rates_tps=rising, stalled_frac=0.3)
    again = msgspec.structs.replace(trials[-1], trial=len(trials))
    rows = rows_of([*trials, again])
    assert [row["Trial"] for row in rows if not row["Steady"]] == [31]
    assert {row["Trial"]: row["Stalled (s)"] for row in rows if row["Stalled (s)"]} == {31: 3.0}
    assert [(row["Trial"], row["Remark"]) for row in rows if not row["Counted"]] == [
        (len(trials), "interrupted; measured again")
    ]


def test_split_that_could_not_be_held_reports_it_in_table_tooltip_and_log():
    why = "became unresponsive: no heartbeat for 31 s; 12 of 30 s were measured before that, with 23 tuples/s"
    trials = [document for document in make_documents() if isinstance(document, TrialDone)]
    at = next(n for n, trial in enumerate(trials) if trial.setting is not None)
    left = msgspec.structs.replace(trials[at], responsive=False, valid=False, reason=why)
    (row,) = [row for row in rows_of([*trials[:at], left, *trials[at + 1 :]]) if not row["Counted"]]
    assert row["Remark"] == why
    (point,) = [point for point in build_points([left, *trials]) if not point.responsive]
    (words,) = points_table([point], []).rows
    assert why in words
    assert why[1:] in point_words(point)
    assert "no valid trial" not in point_words(point)
    level, said = log_text(left)
    assert (level, why in said, "not counted" in said) == (Severity.WARNING, True, False)

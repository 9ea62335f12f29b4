"""Laws of the table twins: what does not count says why."""

import msgspec
import numpy as np

from app.live.tables import visits_table
from scheduler.model.documents import VisitDone
from tests.data_maker import make_documents


def rows_of(visits):
    table = visits_table(visits)
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def test_that_every_visit_has_its_row_and_says_whether_it_counts_and_was_steady():
    visits = [document for document in make_documents() if isinstance(document, VisitDone)]
    rising = tuple(np.linspace(500.0, 1500.0, 10))
    visits[30] = msgspec.structs.replace(visits[30], rates_tps=rising, stalled_frac=0.3)
    again = msgspec.structs.replace(visits[-1], visit=len(visits))
    rows = rows_of([*visits, again])
    assert [row["Visit"] for row in rows if not row["Steady"]] == [31]
    assert {row["Visit"]: row["Stalled (s)"] for row in rows if row["Stalled (s)"]} == {31: 3.0}
    assert [(row["Visit"], row["Remark"]) for row in rows if not row["Counts"]] == [
        (len(visits), "far below the others; measured again")
    ]

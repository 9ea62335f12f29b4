"""What a result page says above all of a run that did not end well, and how loudly."""

import msgspec
import pytest

from app.pages.result_data import result_data_of
from app.pages.result_page import run_status_of
from scheduler.model.documents import RunOutcome
from tests.data_maker import make_documents


@pytest.mark.parametrize(
    ("options", "word", "due", "level", "text"),
    [
        ({}, {}, False, None, ""),
        ({"outcome": None, "trials": 5}, None, True, "error", "still has settings"),
        ({"outcome": None, "trials": 5}, None, False, "info", "is not recorded yet"),
        ({"outcome": RunOutcome.FAILED, "trials": 5, "restored": False}, {}, True, "error", "still has settings"),
        ({"outcome": RunOutcome.FAILED, "trials": 5, "restored": False}, {}, False, "warning", "was not restored"),
        ({"outcome": RunOutcome.FAILED, "trials": 5}, {"restored_unix_s": 9.0}, True, "info", "5 of"),
    ],
)
def test_only_a_host_that_is_due_is_reported_in_red(options, word, due, level, text):
    documents = make_documents(samples=False, **options)
    if word:
        documents.append(msgspec.structs.replace(documents[-1], **word))
    finding = result_data_of(documents)
    said = run_status_of(finding, {finding.run.facts.host_id} if due else ())
    assert (said and said.level) == level
    assert text in ("" if said is None else said.text)

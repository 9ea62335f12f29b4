"""Every value that a plan can name is in a golden case: a new one needs a case before it changes outputs unseen."""

import pytest

from scheduler.export.exporters import list_exporters
from scheduler.model.databases import DATABASES
from scheduler.model.decision import SweepPurpose
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.objective import OBJECTIVES
from scheduler.model.plan_file import parse_plan
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.split import Mode
from scheduler.model.studies import STUDIES
from tests.golden.cases import PLANS, SWEEPS

SWEPT = [parse_plan(case.plan) for case in SWEEPS]
NAMED = [*SWEPT, *(parse_plan(case.text) for case in PLANS)]


@pytest.mark.parametrize(
    ("covered", "known"),
    [
        ({spec.kind.name for spec in SWEPT}, STUDIES),
        ({spec.protocol.name for spec in SWEPT}, PROTOCOLS),
        ({spec.objective.name for spec in SWEPT}, OBJECTIVES),
        ({spec.objective.purpose for spec in SWEPT}, SweepPurpose),
        ({spec.mode for spec in SWEPT}, Mode),
        ({load.kind for spec in NAMED for load in spec.loads}, LOAD_KINDS),
        ({load.engine for spec in NAMED for load in spec.loads}, DATABASES),
    ],
    ids=["studies", "protocols", "objectives", "purposes", "modes", "loads", "databases"],
)
def test_golden_cases_cover_every_value(covered, known):
    assert covered == set(known)


def test_golden_cases_cover_every_export_of_a_run():
    files = {file for case in SWEEPS for file in case.makes}
    made = {"html": "report.txt", "csv": "points.csv", "json": "results.json", "machine": "machine.json"}
    # A PDF has the page of the HTML report; its bytes have the time.
    assert {"plan", "bundle", "pdf", *made} == set(list_exporters())
    assert {*made.values(), "plan.toml"} <= files

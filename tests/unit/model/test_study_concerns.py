"""The findings of preflight that each study shows."""

import msgspec
import pytest

from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.plan_file import parse_plan
from scheduler.model.study_concerns import list_concerns, select_findings

HOST = 'host = "xl+ssh://root@xen1"\n'
BASE = 'base = "postgresql://osdb@native/osdb"\n'
SECOND = 'second_database = "postgresql://osdb@db2/osdb"\n[[load]]\nkind = "osdb-ir"\ndatabase = "postgresql://osdb@db1/osdb"\n'
PLANS = {
    "split by caps": HOST + 'splits = ["1:1", "1:2"]',
    "split by weights": HOST + 'splits = ["1:1", "1:2"]\nmode = "weights"',
    "capacity at a split": HOST + 'study = "capacity"\nsplits = ["1:2"]',
    "capacity as found": HOST + 'study = "capacity"',
    "overhead": HOST + 'study = "overhead"\n' + BASE,
    "overhead as found": HOST + 'study = "overhead"\nsplits = []\n' + BASE,
    "scale-up": HOST + 'study = "scale-up"',
    "isolation": HOST + 'study = "isolation"\n' + SECOND,
    "isolation by caps": HOST + 'study = "isolation"\nmodes = ["caps"]\n' + SECOND,
}
SPLIT, COMPETITION, WEIGHTS, CAPS, FIXED = (
    StudyConcern.SPLIT,
    StudyConcern.COMPETITION,
    StudyConcern.WEIGHTS,
    StudyConcern.CAPS,
    StudyConcern.FIXED_VCPUS,
)
ALWAYS = {StudyConcern.ANY, StudyConcern.MEASURING, StudyConcern.OTHERS, StudyConcern.AS_FOUND}
CONCERNS = {
    "split by caps": {SPLIT, COMPETITION, CAPS, FIXED},
    "split by weights": {SPLIT, COMPETITION, WEIGHTS, FIXED},
    "capacity at a split": {SPLIT, COMPETITION, CAPS, FIXED},
    "capacity as found": {FIXED},
    "overhead": {SPLIT, CAPS, FIXED},
    "overhead as found": {FIXED},
    "scale-up": set(),
    "isolation": {SPLIT, COMPETITION, WEIGHTS, CAPS, FIXED},
    "isolation by caps": {SPLIT, COMPETITION, CAPS, FIXED},
}


@pytest.mark.parametrize("name", PLANS)
def test_concerns_of_a_study_hold_what_it_sets_and_compares(name):
    assert list_concerns(parse_plan(PLANS[name])) == {*ALWAYS, *CONCERNS[name]}


def test_fit_findings_keeps_order_and_drops_other_concerns():
    every = [PreflightFinding(Severity.WARNING, concern.name, concern=concern) for concern in StudyConcern]
    kept = select_findings(parse_plan(PLANS["scale-up"]), [*every, PreflightFinding(Severity.INFO, "last")])
    assert [finding.text for finding in kept] == ["ANY", "MEASURING", "OTHERS", "AS_FOUND", "last"]


def test_findings_of_stored_runs_have_any_concern():
    assert msgspec.json.decode(b'{"level":"info","text":"x"}', type=PreflightFinding).concern is StudyConcern.ANY

"""Who can have a database that remembers nothing before each operation, and who cannot."""

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.model.load import LoadSpec
from scheduler.model.plan_file import parse_plan
from scheduler.studies.study_meeting import refuse_cold
from tests.contract.postgres_fixture import facts_of, spec_of

FACTS = msgspec.structs.replace(facts_of(), restarts_database=True)
COLD = LoadSpec("tpch", users=1, parameters={"cold": True})
TWO = """
host = "local:"
study = "isolation"
splits = ["2:1:1"]
[[load]]
kind = "tpch"
users = 1
cold = true
"""


def test_one_user_alone_on_a_database_of_ours_may_have_it():
    refuse_cold(spec_of(COLD), FACTS)
    assert [load.is_cold for load in (COLD, LoadSpec("tpch"), LoadSpec("osdb-ir"))] == [True, False, False]
    refuse_cold(spec_of(LoadSpec("tpch"), LoadSpec("osdb-ir")), facts_of())


@pytest.mark.parametrize(
    ("load", "facts", "why"),
    [
        (LoadSpec("tpch", users=2, parameters={"cold": True}), FACTS, "interrupt other users, and tpch has 2 users"),
        (COLD, facts_of(), "DomTune cannot restart the database of this sweep"),
        (COLD, msgspec.structs.replace(FACTS, simulated=True), "a simulated machine has no memory to forget"),
    ],
)
def test_all_else_learns_why_not(load, facts, why):
    with pytest.raises(SpecError, match=why) as reported:
        refuse_cold(spec_of(load), facts)
    assert reported.value.field == "load.cold"
    assert reported.value.hint


def test_second_guest_or_another_load_at_once_has_it_refused():
    with pytest.raises(SpecError, match="has both of them run on"):
        refuse_cold(parse_plan(TWO), FACTS)
    mix = [LoadSpec("tpch", users=1, parameters={"cold": True}, mix="noon"), LoadSpec("osdb-ir", mix="noon")]
    with pytest.raises(SpecError, match="noon has several loads"):
        refuse_cold(spec_of(*mix), FACTS)

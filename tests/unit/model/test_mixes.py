"""Laws of mixes in plans: what a plan file says is what is measured, and what cannot be is refused with its reason."""

import pytest

from scheduler.errors import SpecError
from scheduler.model.codec import encode_json, make_decoder
from scheduler.model.load_kinds import rate_unit
from scheduler.model.load_name import LoadName
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.sentence_texts import load_title
from scheduler.model.spec import RunSpec
from scheduler.plans.study_plan import count_certain_trials, duration_s

LOADS = '[[load]]\nkind = "osdb-ir"\nusers = 3\n[[load]]\nkind = "osdb-oltp"\n'
NOON = '[[mix]]\nname = "noon"\nloads = ["osdb-ir", "osdb-oltp"]\n'
APART = '[[load]]\nkind = "osdb-ir"\nusers = 3\n[[load]]\nkind = "osdb-oltp"\nalone = false\n'
WEIGHTS = '[objective]\nweights = { osdb-ir = 1.0, "noon/osdb-oltp" = 3.0 }\n'


def plan(*parts: str):
    return parse_plan("\n".join(('host = "local:"', 'splits = ["1:1", "1:2"]', *parts)))


def test_mix_is_measured_next_to_the_loads_by_themselves_or_alone():
    spec = plan(LOADS, NOON)
    assert spec.mixes == (("osdb-ir",), ("osdb-oltp",), ("noon/osdb-ir", "noon/osdb-oltp"))
    assert [load.users for load in spec.loads] == [3, 5, 3, 5]
    assert [spec.weight_of(load.name) for load in spec.loads] == [0.25] * 4
    assert plan(APART, NOON).mixes == (("osdb-ir",), ("noon/osdb-ir", "noon/osdb-oltp"))


def test_mix_costs_the_time_of_one_load():
    two, three = plan(LOADS), plan(LOADS, NOON)
    assert count_certain_trials(three) * 2 == count_certain_trials(two) * 3
    assert duration_s(plan(APART, NOON)) == duration_s(two)


@pytest.mark.parametrize("parts", [(LOADS, NOON), (APART, NOON, WEIGHTS), (LOADS, NOON, WEIGHTS), (LOADS,)])
def test_plan_with_a_mix_goes_through_its_file_unchanged(parts):
    spec = plan(*parts)
    assert parse_plan(write_plan(spec)) == spec


def test_plan_without_a_mix_is_written_as_before():
    assert "alone" not in write_plan(plan(LOADS))
    assert "mix" not in write_plan(plan(LOADS))


def test_load_in_a_mix_has_its_kinds_name_and_unit():
    assert (load_title(LoadName("osdb-ir", "noon")), load_title("osdb-ir")) == ("IR in noon", "IR")
    assert rate_unit([LoadName("tpcb", "noon")]) == rate_unit(["tpcb"]) != rate_unit([LoadName("osdb-ir", "noon")])


@pytest.mark.parametrize(
    ("parts", "field", "problem"),
    [
        (('[[mix]]\nname = "a/b"\nloads = ["osdb-ir", "osdb-oltp"]',), "mix[0].name", "no name of a mix"),
        (('[[mix]]\nname = "tpch"\nloads = ["osdb-ir", "osdb-oltp"]',), "mix[0].name", "is a load already"),
        (('[[mix]]\nname = "noon"\nloads = ["osdb-ir"]',), "mix.loads", "noon has one load"),
        (('[[mix]]\nname = "noon"\nloads = ["osdb-ir", "tpcb"]',), "mix[0].loads", "'tpcb' is not a load of this plan"),
        (('[[mix]]\nname = "noon"\nloads = ["osdb-ir", "osdb-ir"]',), "mix[0].loads", "more than once"),
        ((NOON, NOON), "mix.name", "noon given more than once"),
        ((APART,), "load.alone", "osdb-oltp runs neither alone nor in a mix"),
        (('[clients]\nscheduler = "tcp://127.0.0.1:8786"', NOON), "clients", "on this computer only"),
        ((NOON, '[objective]\nweights = { "dawn/osdb-ir" = 1.0 }'), "objective.weights", "not a load of this sweep"),
    ],
)
def test_what_cannot_run_together_is_refused_with_its_reason(parts, field, problem):
    with pytest.raises(SpecError) as caught:
        plan(*parts)
    assert caught.value.field == field
    assert problem in caught.value.problem
    assert caught.value.hint


def test_other_studies_refuse_a_mix():
    with pytest.raises(SpecError, match="one at a time"):
        parse_plan(f'host = "local:"\nstudy = "capacity"\n{LOADS}{NOON}')


def test_objective_can_name_a_load_of_a_mix():
    spec = plan(LOADS, NOON, '[objective]\nname = "limited"\nload = "noon/osdb-oltp"\nlimit_frac = 0.1\n')
    assert (spec.objective.load.kind, spec.objective.load.mix) == ("osdb-oltp", "noon")
    again = make_decoder(RunSpec).decode(encode_json(spec))
    assert again == spec
    assert again.objective.load.mix == "noon"
    assert load_title(parse_plan(write_plan(spec)).objective.load) == "OLTP in noon"

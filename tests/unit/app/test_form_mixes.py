"""What the form means of loads that run together."""

import pytest
from hypothesis import given

from app.wizard import draft, plan_texts
from app.wizard.mix_fields import TypedMix
from app.wizard.review_page import build_review_rows
from app.wizard.sweep_form import SweepForm
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.spec import RunSpec
from scheduler.model.studies import CAPACITY, SPLIT
from tests.unit.app.any_spec import mixed_specs

DAY_AND_NIGHT = ["osdb-ir", "osdb-oltp", "noon/osdb-ir", "noon/osdb-oltp"]


def with_noon(**typed: object) -> SweepForm:
    form = SweepForm()
    form.mixes.add(["osdb-ir", "osdb-oltp"])
    for name, value in typed.items():
        setattr(form.mixes.typed[0], name, value)
    return form


@given(mixed_specs())
def test_plan_with_mixes_goes_through_form_and_file_and_is_the_same(spec: RunSpec):
    assert SweepForm.from_spec(spec).to_spec() == spec
    assert SweepForm.from_spec(parse_plan(write_plan(spec))).to_spec() == spec


def test_what_is_typed_goes_through_the_plan_and_is_the_same():
    form = with_noon()
    assert form.mixes.typed == [TypedMix("noon", ["osdb-ir", "osdb-oltp"])]
    form.mixes.apart = ["osdb-ir"]
    form.mixes.typed[0].weights = {"osdb-ir": "2.5"}
    spec = form.to_spec()
    assert [load.name for load in spec.loads] == DAY_AND_NIGHT[1:]
    assert spec.weights == {"osdb-oltp": 1.0, "noon/osdb-ir": 2.5, "noon/osdb-oltp": 1.0}
    again = SweepForm.from_spec(parse_plan(write_plan(spec)))
    assert (again.to_spec(), again.mixes.apart) == (spec, ["osdb-ir"])
    assert [(mix.name, mix.kinds) for mix in again.mixes.typed] == [("noon", ["osdb-ir", "osdb-oltp"])]


def test_every_load_counts_the_same_in_a_plan_that_weighs_none():
    form = SweepForm.from_spec(parse_plan('host = "local:"\n'))
    form.mixes.add(["osdb-ir", "osdb-oltp"])
    assert form.to_spec().weights == {}


@pytest.mark.parametrize(
    ("typed", "field", "parts"),
    [
        ({"name": " "}, "mixes[0].name", ("None given", "for example noon")),
        ({"name": "at noon"}, "mixes[0].name", ("'at noon'", "letters, digits")),
        ({"name": "tpch"}, "mixes[0].name", ("'tpch' is a load already",)),
        ({"kinds": []}, "mixes[0].loads", ("None given", "two or more loads")),
        ({"kinds": ["osdb-ir"]}, "mixes[0].loads", ("IR alone is no mix", "another load")),
        ({"weights": {"osdb-ir": "half"}}, "mixes[0].weights.osdb-ir", ("'half'", "number")),
        ({"weights": {"osdb-ir": "-1"}}, "mixes[0].weights.osdb-ir", ("-1", "0..1000000")),
    ],
)
def test_bad_input_is_reported_next_to_its_field_and_the_rest_goes_on(typed, field, parts):
    form = with_noon(**typed)
    messages = form.messages("loads")
    assert list(messages) == [field]
    assert all(part in messages[field] for part in parts), messages
    assert isinstance(form.corrected(form.messages()).to_spec(), RunSpec)


def test_name_remains_for_one_mix():
    form = with_noon()
    form.mixes.add(["osdb-ir", "osdb-oltp"])
    assert form.mixes.typed[1].name != "noon"
    form.mixes.typed[1].name = "noon "
    assert "more than once" in form.messages()["mixes[1].name"]


def test_host_that_has_no_mixes_reports_why_and_so_do_other_computers_that_make_the_load():
    form = with_noon()
    form.host = "sim:"
    assert "one class of users at a time, and noon has 2" in form.messages("loads")["mixes"]
    form.host = "local:"
    form.texts |= {"clients": "yes", "clients.scheduler": "tcp://127.0.0.1:8786", "clients.insecure": "yes"}
    assert "this computer only" in form.messages("loads")["clients"]
    form.texts["clients"] = "no"
    form.ask(CAPACITY)
    assert isinstance(form.to_spec(), RunSpec)  # it has its loads run one at a time
    form.ask(SPLIT)
    assert [load.name for load in form.to_spec().loads] == DAY_AND_NIGHT


def test_draft_keeps_what_runs_together(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    form = with_noon(name="half typed, ")
    draft.write_draft(form)
    found = draft.read_draft()
    assert found is not None
    assert found[0].mixes == form.mixes


def test_review_reports_what_runs_together_and_where():
    form = with_noon()
    both = "5 users read rows (IR) and 5 users change rows and commit (OLTP)"
    sentence = dict(build_review_rows(form.to_spec(), None))["Loads"]
    assert sentence.startswith(f"One load at a time: {both}")
    assert sentence.endswith(f"Together, as noon: {both}.")
    form.mixes.apart = ["osdb-ir", "osdb-oltp"]
    sentence = dict(build_review_rows(form.to_spec(), None))["Loads"]
    assert sentence.startswith(f"Together, as noon: {both}. Database: built-in")
    assert plan_texts.step_answer("loads", form.to_spec(), None).startswith("noon: IR ")

"""What the form means of the questions that vary something else than splits of two."""

import msgspec
import pytest
from hypothesis import given

from app.wizard import plan_texts
from app.wizard.page_names import PAGES
from app.wizard.review_page import ROWS, build_review_rows
from app.wizard.sweep_form import SweepForm
from scheduler.model.guests import SecondGuestSupport
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST
from scheduler.model.studies import ISOLATION, SCALE_UP, SPLIT, STUDIES
from scheduler.model.vcpus import VcpuRange
from tests.data_maker import make_facts
from tests.unit.app.any_spec import varied_specs

FOUR = VcpuRange(1, 4, why="it was started with four", hint="Start it with more.")
ABLE = msgspec.structs.replace(
    make_facts(), vcpus=FOUR, second_guest=SecondGuestSupport(possible=True, why="", hint="")
)

TWO_THERE = SecondGuestSupport(possible=True, why="", hint="", runs=True, names=("db2", "mail"))
XEN = msgspec.structs.replace(ABLE, scheduler="credit2", second_guest=TWO_THERE)
FIRST, SECOND = "postgresql://u@10.0.0.2/d", "postgresql://u@10.0.0.3/d"


def form_of(study: str, facts=ABLE, **varied: str) -> SweepForm:
    form = SweepForm(facts=facts, scheduler=facts.scheduler if facts else "")
    form.ask(study)
    form.texts |= varied
    return form


@given(varied_specs())
def test_study_goes_through_form_and_plan_file_and_is_the_same(spec: RunSpec):
    typed = SweepForm.from_spec(spec).to_spec()
    assert typed == spec
    assert SweepForm.from_spec(parse_plan(write_plan(spec))).to_spec() == spec


@pytest.mark.parametrize("study", [study for study in STUDIES if study != SPLIT])
def test_each_question_begins_as_a_plan_that_reports_nothing_else(study: str):
    typed = form_of(study, facts=None).to_spec()
    assert set(typed.weights.values()) <= {1.0}, "the sliders of the form are at their start"
    assert msgspec.structs.replace(typed, weights={}) == parse_plan(f'host = "local:"\nstudy = "{study}"\n')


@pytest.mark.parametrize("study", [SCALE_UP, ISOLATION])
def test_host_that_cannot_is_refused_with_its_reason_and_the_rest_is_still_reported(study: str):
    form, facts = form_of(study, make_facts()), make_facts()
    form.host, form.texts["name"] = "xl+ssh://root@lab1", "kept"
    why, hint = facts.missing_reason(form.kind)
    assert form.messages("host") == {"study": f"Not available on this host: {why}. {hint}"}
    mended = form.corrected(form.messages()).to_spec()
    assert (mended.kind.name, mended.host_url, mended.name) == (study, "xl+ssh://root@lab1", "kept")
    form.ask(SPLIT)
    assert isinstance(form.to_spec(), RunSpec)


def test_no_number_means_those_that_the_host_has():
    labels = [setting.label for setting in form_of(SCALE_UP).to_spec().settings]
    assert labels == ["1 vCPU", "2 vCPUs", "4 vCPUs"]


@pytest.mark.parametrize(
    ("study", "varied", "field", "parts"),
    [
        (SCALE_UP, {"vcpus": "2"}, "vcpus", ("Only one number", "1 2 4")),
        (SCALE_UP, {"vcpus": "1, two"}, "vcpus", ("'two'", "whole number")),
        (SCALE_UP, {"vcpus": "1 1 2"}, "vcpus", ("1 given more than once",)),
        (SCALE_UP, {"vcpus": "0 1"}, "vcpus", ("0 is outside 1..128",)),
        (SCALE_UP, {"vcpus": "4 16 32"}, "vcpus", ("can have 1, only 1..4", "started with four", "Start it")),
        (ISOLATION, {"threes": " "}, "threes", ("None given", "4:1:1")),
        (ISOLATION, {"threes": "2:1:1 1:1"}, "threes", ("'1:1'", "three positive numbers")),
        (ISOLATION, {"threes": "2:1:1 2 : 1 : 1"}, "threes", ("2:1:1 given more than once",)),
        (ISOLATION, {"threes": "40:1:1"}, "threes", ("below the kernel's minimum", "42000 us")),
        (ISOLATION, {"second_users": "0"}, "second_users", ("0 is outside 1..256",)),
        (ISOLATION, {"second_users": "many"}, "second_users", ("'many'", "whole number")),
    ],
)
def test_bad_input_is_reported_next_to_its_field_and_the_other_pages_go_on(study, varied, field, parts):
    form = form_of(study, **varied)
    messages = form.messages()
    assert list(messages) == [field]
    assert all(part in messages[field] for part in parts), messages
    assert isinstance(form.corrected(form.messages()).to_spec(), RunSpec)


def test_two_guests_have_at_most_two_loads_and_users_of_this_computer():
    form = form_of(ISOLATION)
    for kind in ("osdb-oltp", "tpcb"):
        form.loads[kind]["on"] = "yes"
    assert "3 loads are more than one for each" in form.messages("loads")["loads"]
    form.loads["tpcb"]["on"] = "no"
    form.texts |= {"clients": "yes", "clients.scheduler": "tcp://127.0.0.1:8786", "clients.insecure": "yes"}
    assert "this computer only" in form.messages("loads")["clients"]


def test_users_beyond_what_a_load_can_have_are_reported_next_to_them():
    form = form_of(ISOLATION, second_users="40")
    form.loads["osdb-ir"]["on"], form.loads["order-entry"]["on"] = "no", "yes"
    assert "more than 10 for each of 2 warehouses" in form.messages()["second_users"]
    form.loads["order-entry"]["users"], form.texts["second_users"] = "40", ""
    assert "more than 10 for each of 2 warehouses" in form.messages()["loads.order-entry.users"]


def test_second_guest_runs_the_load_that_is_chosen_for_it():
    form = form_of(ISOLATION)
    form.loads["osdb-oltp"]["on"] = "yes"
    assert [load.kind for load in form.to_spec().loads] == ["osdb-ir", "osdb-oltp"]
    form.texts["second"] = "osdb-ir"
    spec = form.to_spec()
    assert (spec.guest_loads[GUEST].kind, spec.loads[-1].kind) == ("osdb-oltp", "osdb-ir")
    form.loads["osdb-ir"]["on"] = "no"
    assert isinstance(form.to_spec(), RunSpec)


def test_what_another_question_asked_for_is_kept_and_not_in_the_way():
    form = form_of(ISOLATION, vcpus="nonsense")
    form.texts["mode"], form.texts["period_ms"], form.texts["modes"] = "weights", "nonsense", "weights"
    assert [setting.mode for setting in form.to_spec().settings] == ["weights"] * 6
    form.ask(SCALE_UP)
    assert list(form.messages()) == ["vcpus"]
    form.texts["threes"] = "nonsense"
    form.texts["vcpus"] = "1 3"
    assert isinstance(form.to_spec(), RunSpec)


@pytest.mark.parametrize(
    ("study", "varied", "parts"),
    [
        (
            SCALE_UP,
            {"vcpus": "1 4"},
            ("give postgres (guest) on this computer 1 and 4 vCPUs", "18 blocks", "settings are restored"),
        ),
        (ISOLATION, {"second_users": "16"}, ("4 users", "16 users", "4:1:1 and 1:1:1", "caps", "weights")),
    ],
)
def test_answers_and_review_name_what_was_chosen(study, varied, parts):
    spec = form_of(study, **varied).to_spec()
    for facts in (None, ABLE):
        answers = [plan_texts.step_answer(page, spec, facts) for page in PAGES[:-1]]
        assert all(0 < len(text) <= 40 for text in answers), answers
        facts_told = build_review_rows(spec, facts)
        assert len(facts_told) == ROWS
        assert "The original settings are restored and verified." in " ".join(row.text for row in facts_told)
        assert not any("Nothing. The" in row.text for row in facts_told)
    reported = plan_texts.review_paragraph(spec, ABLE)
    assert all(part in reported for part in parts), reported


@pytest.mark.parametrize("more", ["", '[server]\nio_method = "worker"\n'])
def test_how_the_server_reads_goes_through_the_form_and_stays_with_a_server_of_ours(more):
    spec = parse_plan(f'host = "local:"\nstudy = "overhead"\n{more}')
    form = SweepForm.from_spec(spec)
    assert form.to_spec() == spec
    assert form.texts.get("server.io_method") == ("worker" if more else None)
    reported = plan_texts.review_paragraph(spec, None)
    assert ("started with io_method = sync" in reported) is not bool(more)
    form.host, form.texts["base"] = "xl+ssh://root@lab1", "postgresql://u@bare/d"
    form.loads["tpch"]["own"], form.loads["tpch"]["database"] = "yes", "postgresql://u@guest/d"
    assert form.to_spec().server == {}


def on_xen(**varied: str) -> SweepForm:
    form = form_of(ISOLATION, XEN, **varied)
    form.host, form.texts["domains.guest"] = "xl+ssh://root@xen1", "db1"
    load = form.loads["osdb-ir"]
    load["own"], load["database"] = "yes", FIRST
    return form


def test_second_guest_that_runs_already_is_chosen_and_its_database_asked_for():
    spec = on_xen(second_database=SECOND).to_spec()
    assert (spec.study.guest_2, spec.study.second_database) == ("db2", SECOND)  # the one that is shown
    assert on_xen(**{"second_database": SECOND, "domains.guest_2": "mail"}).to_spec().study.guest_2 == "mail"
    reported = " ".join(row.text for row in build_review_rows(spec, XEN))
    assert "db2 (second guest)" in reported
    assert "starts and stops none" in reported
    assert not on_xen().takes_period  # credit2 has a period of its own
    one = msgspec.structs.replace(XEN, second_guest=msgspec.structs.replace(TWO_THERE, names=("db2",)))
    form = on_xen(second_database=SECOND)
    form.facts = one
    assert form.to_spec().study.guest_2 == ""
    form.facts = ABLE  # a host that brings it: what stands in hidden fields is not read
    assert form.to_spec().study.second_database == ""


@pytest.mark.parametrize(
    ("varied", "field", "parts"),
    [
        ({}, "second_database", ("None given", "postgresql://USER@HOST")),
        ({"second_database": FIRST}, "second_database", ("are on one server", "second guest")),
        ({"second_database": "mysql://u@h/d"}, "second_database", ()),
        ({"second_database": SECOND, "domains.guest_2": "db1"}, "domains.guest_2", ("cannot be two domains",)),
    ],
)
def test_second_guest_that_cannot_be_it_is_reported_next_to_its_field(varied, field, parts):
    form = on_xen(**varied)
    if not parts:  # a kind that runs on one of them alone
        form.loads["osdb-ir"]["on"], form.loads["tpcb"]["on"] = "no", "yes"
        form.loads["tpcb"]["own"], form.loads["tpcb"]["database"] = "yes", FIRST
        parts = ("does not run on MariaDB",)
    messages = form.messages()
    assert list(messages) == [field]
    assert all(part in messages[field] for part in parts), messages
    assert isinstance(form.corrected(form.messages()).to_spec(), RunSpec)

import msgspec
import pytest

from app.display_texts import shorten_name
from app.wizard import plan_texts
from app.wizard.cpu_map import list_tenants
from app.wizard.host_properties_card import details_of, essentials_of
from app.wizard.page_names import PAGES
from app.wizard.scheduler_texts import scheduler_name
from app.wizard.splits_page import encoding_table
from app.wizard.step_texts import problem_lines
from app.wizard.sweep_form import SweepForm
from scheduler.model.load import LoadSpec
from scheduler.model.objective import Objective
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from scheduler.shares.share_model import HostMachine
from tests.data_maker import make_facts, make_spec


def test_long_url_is_shortened_and_a_short_one_is_not():
    assert shorten_name("local:") == "local:"
    long = shorten_name("xl+ssh://root@xen-prod-01.example.org:2222", 32)
    assert len(long) == 32
    assert long.startswith("xl+ssh://root@")
    assert long.endswith("example.org:2222")


def test_every_scheduler_reports_what_is_changed_and_when():
    for name in ("cgroup-v1", "cgroup-v2", "credit2"):
        rows = {truth.label: truth.value for truth in essentials_of(make_facts(scheduler=name))}
        assert "Only" in rows["A sweep changes"]
        assert "Immediately" in rows["A sweep changes"]
        assert scheduler_name(name) in rows["Scheduler"]


def test_what_matters_is_three_lines_and_reports_nothing_twice():
    facts = make_facts(scheduler="credit2")
    essentials, details = essentials_of(facts), details_of(facts)
    assert len(essentials) == 3
    values = [truth.value for truth in (*essentials, *details)]
    assert len(values) == len(set(values))


@pytest.mark.parametrize("page", PAGES[:-1])
def test_every_step_has_an_answer_in_one_line(page: str):
    for facts in (None, make_facts()):
        text = plan_texts.step_answer(page, make_spec(), facts)
        assert 0 < len(text) <= 40
        assert "\n" not in text


def test_domains_are_answered_by_the_names_that_are_known():
    spec = msgspec.structs.replace(make_spec(), io_domain="Domain-0", guest_domain="db1")
    assert plan_texts.step_answer("domains", spec, None) == "Domain-0 : db1"
    assert plan_texts.step_answer("domains", spec, make_facts()) == "Domain-0 : db1"
    assert plan_texts.step_answer("domains", make_spec(), make_facts()) == "relay : PostgreSQL"
    other = msgspec.structs.replace(make_spec(), loads=(LoadSpec("osdb-ir", database="mariadb:"),), weights={})
    assert plan_texts.step_answer("domains", other, None) == "relay : MariaDB"
    assert plan_texts.step_answer("domains", msgspec.structs.replace(spec, io_domain=""), None) == "\N{EM DASH} : db1"
    assert (
        plan_texts.step_answer("domains", msgspec.structs.replace(make_spec(), host_url="xl:"), None)
        == "the host's own pair"
    )


def test_review_names_everything_that_was_chosen():
    spec = make_spec(splits=("2:1", "1:2", "1:10"), weights={"osdb-ir": 3.0, "osdb-oltp": 1.0}, repeats=4, seed=77)
    text = plan_texts.review_paragraph(spec, make_facts())
    for part in (
        "CPU 1 of this computer",
        "relay (I/O domain)",
        "postgres (guest)",
        "1:10, 1:2 and 2:1",
        "Caps: in every 20 ms",
        "5 users read rows (IR) and 5 users change rows and commit (OLTP)",
        "Database: built-in",
        "10,000 rows",
        "4 times",
        "seed 77",
        "4 s to settle",
        "8 s after a change of the load",
        "10 s that count",
        "recommendation: IR 75",
        "The original settings are also measured, and restored afterwards.",
    ):
        assert part in text


def test_scheduler_with_a_period_of_its_own_is_promised_none():
    facts = msgspec.structs.replace(make_facts(), scheduler="credit2")
    text = plan_texts.review_paragraph(make_spec(), facts)
    assert "Caps: each domain gets its share and never more" in text
    assert "20 ms" not in text


def test_review_reports_what_is_different_for_each_load():
    loads = (LoadSpec("osdb-ir", 1, "postgresql://u@h/a"), LoadSpec("osdb-oltp", 2, "", 20_000))
    spec = msgspec.structs.replace(make_spec(mode=Mode.WEIGHTS), loads=loads)
    text = plan_texts.review_paragraph(spec, None)
    assert "1 user reads rows (IR). Database: postgresql://u@h/a, 10,000 rows per table" in text
    assert "2 users change rows and commit (OLTP). Database: built-in, 20,000 rows per table" in text
    assert "may use CPU time that the other leaves" in text
    assert "All loads count equally" in text


def test_review_reports_what_is_best_without_weights():
    spec = make_spec()
    worst = msgspec.structs.replace(spec, objective=Objective("worst-case"))
    assert "smallest loss for the load that suffers most" in plan_texts.review_paragraph(worst, None)
    limited = msgspec.structs.replace(spec, objective=Objective("limited", "osdb-oltp", 0.1))
    assert "highest OLTP throughput of all splits that lose at most 10" in plan_texts.review_paragraph(limited, None)


def test_single_load_is_not_weighed():
    text = plan_texts.review_paragraph(make_spec(kinds=("osdb-oltp",)), None)
    assert "the highest throughput" in text
    assert "One load at a time" not in text


def test_problems_are_listed_once_by_the_step_on_which_they_remain():
    form = SweepForm(host="", splits=["x", "x"])
    lines = problem_lines(form.messages()).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["Host", "Mode and splits"]
    assert lines[1].count("'x'") == 1


def test_table_shows_what_differs_and_reports_the_rest_once():
    form = SweepForm(splits=["1:1", "1:3", "x"], scheduler="cgroup-v2")
    table, same = encoding_table(form.split_rows())
    assert table.headers == ("Split", "I/O domain", "I/O domain: quota", "Guest: quota", "Rounding error")
    assert table.rows[1] == ("1:3", "25\N{NO-BREAK SPACE}%", "5,000\xa0µs", "15,000\xa0µs", "none")
    assert table.rows[2] == ("x", None, None, None, None)
    assert "weight 100" in same
    assert "period 20,000\xa0µs" in same
    form.texts["mode"] = "weights"
    table, same = encoding_table(form.split_rows())
    assert table.headers[2:4] == ("I/O domain: weight", "Guest: weight")
    assert "quota none" in same


def test_rounding_error_is_never_shown_as_nothing():
    form = SweepForm(splits=["1:2"], scheduler="cgroup-v2")
    table, _ = encoding_table(form.split_rows())
    assert table.rows[0][-1] == "0.0075\xa0%"


def test_each_cpu_knows_who_may_run_there():
    assert list_tenants(make_facts()) == {0: ("clients",), 1: ("io", "guest")}


def test_domains_with_different_vcpus_are_in_one_table():
    machine = HostMachine(vcpus={IO: 2, GUEST: 1})
    form = SweepForm(splits=["1:2", "1:1"], scheduler="rtds", machine=machine)
    table, same = encoding_table(form.split_rows())
    assert "I/O domain: budget" in table.headers
    assert "I/O domain: vCPUs" in table.headers
    assert "period 20,000\xa0µs" in same


def test_split_that_starves_the_io_domain_reports_it_where_it_was_typed():
    form = SweepForm(splits=["1:30"], scheduler="credit2")
    assert "5 %" in form.split_rows()[0].message


def test_review_without_baseline_does_not_promise_to_measure_the_original_settings():
    spec = msgspec.structs.replace(make_spec(), baseline=False)
    text = plan_texts.review_paragraph(spec, make_facts()) + plan_texts.protocol_summary(spec)
    assert "The original settings are restored afterwards." in text
    assert "and the original settings" not in text
    assert "and the original settings, under each load" in plan_texts.protocol_summary(make_spec())

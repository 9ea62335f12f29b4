"""What a plan says of a second guest that runs already: its domain and its database."""

import pytest

from scheduler.errors import SpecError
from scheduler.model.codec import encode_json, make_decoder
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, GUEST_2
from scheduler.model.urls import is_same_server
from scheduler.studies.isolation.declaration import IsolationStudy

FIRST, SECOND = "postgresql://u@10.0.0.2/d", "postgresql://u@10.0.0.3/d"
PLAN = f"""
host = "xl+ssh://root@xen1"
study = "isolation"
second_database = "{SECOND}"
[domains]
io = "Domain-0"
guest = "db1"
guest_2 = "db2"
[[load]]
kind = "osdb-ir"
database = "{FIRST}"
"""


def test_each_guest_has_its_own_database_and_the_plan_is_written_as_it_was_read():
    spec = parse_plan(PLAN)
    assert {guest: load.url for guest, load in spec.guest_loads.items()} == {GUEST: FIRST, GUEST_2: SECOND}
    assert (spec.database, spec.study) == (FIRST, IsolationStudy(0, SECOND, "db2"))
    assert parse_plan(write_plan(spec)) == spec
    assert make_decoder(RunSpec).decode(encode_json(spec)) == spec
    two = parse_plan(f'{PLAN}users = 3\n[[load]]\nkind = "osdb-oltp"\ndatabase = "{FIRST}"\n')
    assert [(load.kind, load.url) for load in two.guest_loads.values()] == [("osdb-ir", FIRST), ("osdb-oltp", SECOND)]


def test_plan_of_before_reports_nothing_of_it():
    spec = parse_plan('host = "local:"\nstudy = "isolation"\n')
    assert spec.study == IsolationStudy()
    assert "guest_2" not in write_plan(spec)
    assert "second_database" not in write_plan(spec)
    assert {load.url for load in spec.guest_loads.values()} == {""}


@pytest.mark.parametrize(
    ("was", "now", "told", "hint"),
    [
        (SECOND, FIRST, "both guests' databases are on one server", "in the second guest"),
        (SECOND, "postgresql://v@10.0.0.2:5432/other", "both guests' databases are on one server", "in the second"),
        (SECOND, "postgresql://u:secret@10.0.0.3/d", "holds a password", "~/.pgpass"),
        (SECOND, "mariadb:", "is no URL of a database", "postgresql://USER@HOST"),
        (SECOND, "http://10.0.0.3", "begins with 'http://'", "postgresql://"),
        ('"db2"', '"db1"', "'db1' cannot be two domains", "second database"),
        ('"db2"', '"Domain-0"', "'Domain-0' cannot be two domains", "second database"),
        ('"isolation"', '"split"', "has no effect in the study 'split'", "Leave it out"),
    ],
)
def test_what_is_no_second_guest_is_refused_with_what_would_do(was, now, told, hint):
    with pytest.raises(SpecError, match=told) as refused:
        parse_plan(PLAN.replace(was, now))
    assert hint in f"{refused.value} {refused.value.hint}"
    assert "secret" not in str(refused.value)


def test_second_guests_load_must_run_on_its_database():
    with pytest.raises(SpecError, match="tpcb does not run on MariaDB"):
        parse_plan(PLAN.replace(SECOND, "mariadb://u@10.0.0.3/d").replace("osdb-ir", "tpcb"))


def test_loads_on_two_databases_are_reported_where_the_second_one_is_named():
    other = PLAN.replace(f'second_database = "{SECOND}"\n', "")
    spec = parse_plan(f'{other}[[load]]\nkind = "osdb-oltp"\ndatabase = "{SECOND}"\n')
    with pytest.raises(SpecError, match="name different databases") as refused:
        assert spec.database
    assert "second_database" in refused.value.hint


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("postgresql://u@h/d", "postgres://v@H:5432/e?sslmode=require", True),
        ("postgresql://u@127.0.0.1:5433/d", "postgresql://u@localhost:5433/d", True),
        ("postgresql://u@[::1]:5433/d", "postgresql:///d?port=5433", False),
        ("postgresql://u@h:5433/d", "postgresql://u@h:5434/d", False),
        ("postgresql://u@h1/d", "postgresql://u@h2/d", False),
        ("mariadb://u@h/d", "mysql://u@h:3306/d", True),
        ("mariadb://u@h:5432/d", "postgresql://u@h/d", False),
        ("mariadb://u@/d?socket=/run/a", "mysql://v@/e?socket=/run/a", True),
        ("mariadb://u@/d?socket=/run/a", "mariadb://u@/d?socket=/run/b", False),
    ],
)
def test_two_urls_of_one_server_are_known_for_it(one, other, same):
    assert is_same_server(one, other) is same
    assert is_same_server(other, one) is same

"""Which database a form means: the standard one, an installed MariaDB, or one of the user's own."""

import pytest

from app.wizard.form_fields import chosen_engine
from app.wizard.sweep_form import SweepForm
from scheduler.errors import SpecError
from scheduler.model.plan_file import parse_plan

PLAN = """host = "local:"
[[load]]
kind = "osdb-ir"
database = "{named}"
engine = "{engine}"
"""


@pytest.mark.parametrize("named", ["mariadb:", "mariadb://u@127.0.0.1:3306/x", "mysql://u@127.0.0.1/x"])
@pytest.mark.parametrize("engine", ["innodb", "aria"])
def test_plan_on_mariadb_stays_on_it_in_the_form(named, engine):
    spec = parse_plan(PLAN.format(named=named, engine=engine))
    form = SweepForm.from_spec(spec)
    [meant], [planned] = form.to_spec().loads, spec.loads
    assert (meant.kind, meant.database, meant.values) == (planned.kind, planned.database, planned.values)
    assert chosen_engine(form.loads["osdb-ir"]) == "mariadb"


def test_what_a_database_does_not_have_is_kept_and_does_not_get_in_the_way():
    form = SweepForm()
    for fields in form.loads.values():
        fields["brought"], fields["engine"] = "mariadb", "aria"
    assert {load.values["engine"] for load in form.to_spec().loads} == {"aria"}
    for fields in form.loads.values():
        fields["brought"] = "postgresql"
    assert all(load.parameters == {} for load in form.to_spec().loads)


@pytest.mark.parametrize("url", ["mariadb://u:secret@h/x", "mariadb://h/x", "mysql://u@h/x?a=b"])
def test_wrong_url_is_reported_next_to_its_load_with_whatever_engine(url):
    form = SweepForm()
    load = form.loads["osdb-oltp"]
    load["own"], load["database"], load["engine"] = "yes", url, "aria"
    assert list(form.messages("loads")) == ["loads.osdb-oltp.database"]
    assert "secret" not in str(form.messages("loads"))


def test_kind_of_one_database_is_on_that_where_a_plan_names_none():
    spec = parse_plan('host = "local:"\n[[load]]\nkind = "sysbench"\n')
    assert (spec.loads[0].engine, spec.database) == ("mariadb", "mariadb:")
    assert SweepForm.from_spec(spec).to_spec().database == "mariadb:"
    with pytest.raises(SpecError, match="name different databases"):
        _ = parse_plan('host = "local:"\n[[load]]\nkind = "sysbench"\n[[load]]\nkind = "tpcb"\n').database
    form = SweepForm()
    form.loads["sysbench"]["on"] = "yes"
    assert "does not run on PostgreSQL" in form.messages("loads")["loads.sysbench.database"]


def test_kind_that_does_not_run_there_reports_it():
    form = SweepForm()
    form.loads["tpcb"]["on"] = "yes"
    for fields in form.loads.values():
        fields["brought"] = "mariadb"
    assert "does not run on MariaDB" in form.messages("loads")["loads.tpcb.database"]

"""Every report says how the load differs from OSDB, with the values of the run."""

import msgspec

from scheduler.loads.osdb.osdb_differences import difference_sentences
from scheduler.model.load import LoadSpec
from tests.contract.postgres_fixture import facts_of, spec_of

OLTP = LoadSpec("osdb-oltp")
VERSIONS = {"fsync": "on", "synchronous_commit": "off", "full_page_writes": "on", "shared_buffers": "128MB"}


def text_of(load=OLTP, client_cpus=(1,), **facts):
    found = msgspec.structs.replace(facts_of(client_cpus), **facts)
    return "\n".join(difference_sentences(load, spec_of(load), found, VERSIONS))


def test_it_reports_first_that_it_is_not_osdb():
    assert text_of().startswith("Not OSDB")


def test_values_of_the_run_are_in_it():
    text = text_of(LoadSpec("osdb-oltp", users=7, tuples=50_000))
    assert "7 users were asked for; AS3AP's rule gives 5 for 20 MB" in text
    assert "7 s after 6 s" in text
    assert "synchronous_commit off" in text


def test_it_reports_what_the_figure_is():
    assert "osdb-ir: the figure is the rate of rows read" in text_of(LoadSpec("osdb-ir"))
    assert "osdb-oltp: the figure is the rate of committed updates" in text_of()
    assert "its rate is reported separately" in text_of(LoadSpec("osdb-oltp", probe=True))


def test_it_reports_where_the_clients_run():
    assert "on CPU 1; the shared CPU is 0" in text_of(client_cpus=(1,))
    assert "share CPU 0 with it" in text_of(client_cpus=(0, 1))
    assert "not confined" in text_of(client_cpus=())

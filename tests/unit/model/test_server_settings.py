"""What the server is started with that DomTune brings: by the plan, by the study, or as it is."""

import pytest

from scheduler.errors import SpecError
from scheduler.loads.server_report_notes import server_setting_notes
from scheduler.model.plan_file import parse_plan, write_plan

LOCAL = 'host = "local:"\n'
OVERHEAD = f'{LOCAL}study = "overhead"\n'
WORKER, SYNC = '[server]\nio_method = "worker"\n', '[server]\nio_method = "sync"\n'
MARIA = '[[load]]\nkind = "osdb-ir"\ndatabase = "mariadb:"\n'
THEIRS = '[[load]]\nkind = "tpch"\ndatabase = "postgresql://u@127.0.0.1/d"\n'


@pytest.mark.parametrize(
    ("plan", "server"),
    [
        (LOCAL, {}),
        (LOCAL + SYNC, {"io_method": "sync"}),
        (LOCAL + WORKER, {}),
        (OVERHEAD, {"io_method": "sync"}),
        (OVERHEAD + WORKER, {}),
        (f'{OVERHEAD}base = "postgresql://u@bare/d"\n', {}),  # both sides need the same settings
        (OVERHEAD + MARIA, {}),
        (OVERHEAD + THEIRS, {}),
        ('host = "sim:"\nstudy = "overhead"\n', {}),
        (f'host = "xl:"\nstudy = "overhead"\n{THEIRS}', {}),
    ],
)
def test_overhead_study_has_its_own_server_read_by_each_back_end_and_no_other(plan, server):
    spec = parse_plan(plan)
    assert spec.server == server
    assert parse_plan(write_plan(spec)) == spec


def test_plan_asks_what_is_not_its_studys_own_and_nothing_else():
    assert "server" not in write_plan(parse_plan(OVERHEAD))
    assert "server" not in write_plan(parse_plan(LOCAL))
    assert WORKER in write_plan(parse_plan(OVERHEAD + WORKER))


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (f'{LOCAL}[server]\nio_method = "fast"\n', "server.io_method: 'fast' is none of worker, sync"),
        (f'{LOCAL}[server]\nwork_mem = "1GB"\n', "PostgreSQL has no such setting"),
        (LOCAL + SYNC + MARIA, "MariaDB has no such setting"),
        (f'host = "xl:"\n{SYNC}{THEIRS}', "DomTune does not start the server of this plan"),
        (LOCAL + SYNC + THEIRS, "DomTune does not start the server of this plan"),
        (f"{LOCAL}[server]\nio_method = 1\n", "is a whole number, not text"),
    ],
)
def test_what_cannot_be_set_is_refused_with_the_reason(plan, told):
    with pytest.raises(SpecError, match=told) as refused:
        parse_plan(plan)
    assert refused.value.hint


def test_report_reports_what_the_server_was_started_with_and_what_it_reports_of_it():
    spec = parse_plan(OVERHEAD)
    (sentence,) = server_setting_notes(spec, {"postgresql": "18.1", "io_method": "sync"})
    assert "started with io_method = sync, where its own default is worker. With worker, I/O workers" in sentence
    (sentence,) = server_setting_notes(spec, {"postgresql": "18.1", "io_method": "worker"})
    assert "; it reports worker." in sentence
    (sentence,) = server_setting_notes(spec, {"postgresql": "17.5"})
    assert sentence == "The built-in server (PostgreSQL 17.5) has no io_method yet."
    assert list(server_setting_notes(parse_plan(OVERHEAD + WORKER), {})) == []

"""What sysbench says, and what the check makes of it; the whole runs in the contract tests."""

from pathlib import Path

import pytest

from scheduler.errors import DatabaseUnreachable, DatabaseUnsuitable, LoadDied, SpecError
from scheduler.loads.engines.program import ProgramLine
from scheduler.loads.sysbench.sysbench_program import (
    SysbenchLines,
    SysbenchScript,
    certificate_authorities,
    sysbench_job,
)
from scheduler.loads.sysbench.sysbench_workload import SysbenchState, check_events
from scheduler.loads.user_messages import BeginOrder, UserTotals
from scheduler.model.load import LoadSpec

SIZE = 1_000
VALUES = LoadSpec("sysbench").values
PARAMS = {"user": "u", "host": "h", "port": "3306", "dbname": "mysql"}


def read(*lines: tuple[float, str]):
    reader, found, since_s = SysbenchLines(), [], 0.0
    for heard_s, text in lines:
        reported = reader.read(ProgramLine(heard_s, text), since_s)
        if reported is not None:
            found.append(reported)
            since_s = reported.until_s
    return reader, found


LINE = "domtune: at {} s, {} s, {} events, 4.5 ms, 5 repeated, 1 reconnects"


def test_line_is_the_time_that_it_reports_and_no_time_is_reported_twice():
    _, found = read((9.1, "Threads started!"), (10.4, LINE.format(10.0, 1.0, 7)), (10.9, LINE.format(10.9, 1.0, 0)))
    assert [(reported.since_s, reported.until_s, reported.count) for reported in found] == [
        (9.0, 10.0, 7),
        (10.0, 10.9, 0),
    ]
    assert (found[0].times_ms, found[0].retries, found[0].errors) == ({"p95": 4.5}, 5, 1)
    assert found[1].times_ms == {}


def test_line_with_another_clock_counts_when_it_comes():
    _, found = read((10.0, LINE.format(77.0, 1.0, 7)))
    assert [(reported.since_s, reported.until_s) for reported in found] == [(9.0, 10.0)]


def test_only_closing_words_report_how_many_there_were():
    reader, _ = read((1.0, "total number of events:              2560"))
    assert reader.completed(9.0) == 2560
    with pytest.raises(LoadDied, match="without a total number of events"):
        SysbenchLines().completed(9.0)


def test_its_words_for_a_refused_connection_become_ours():
    script = SysbenchScript(BeginOrder(PARAMS, "sysbench", 0, 1, 0), 2)
    said = "FATAL: unable to connect to MySQL server on host 'h', port 1, aborting... / FATAL: error 1040: Too many / x"
    refused = script.refused(said)
    assert isinstance(refused, DatabaseUnreachable)
    assert "no connection to u@h:3306/mysql: it has no connection left" in str(refused)
    assert script.refused("FATAL: something else") is None


def test_more_prepared_statements_than_the_server_keeps_are_reported_with_their_numbers():
    script = SysbenchScript(BeginOrder(PARAMS, "sysbench", 0, 1, 0, parameters={**VALUES, "tables": 64}), 60)
    said = 'FATAL: MySQL error: 1461 "Can\'t create more than max_prepared_stmt_count statements (current value: 7)"'
    with pytest.raises(DatabaseUnsuitable, match="at most 7 prepared statements; 60 users of 64 tables need more"):
        raise script.refused(said)


@pytest.mark.parametrize("password", ["both ' and \"", "a\nb", "\u00e4", "x" * 300])
def test_password_that_its_option_files_cannot_hold_is_refused_without_being_repeated(password):
    script = SysbenchScript(BeginOrder({**PARAMS, "password": password}, "sysbench", 0, 1, 0, parameters=VALUES), 2)
    with pytest.raises(SpecError, match="cannot be handed this password") as refused:
        script.job()
    assert password not in str(refused.value)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"ssl_mode": "required"}, "does not support the encryption of ssl-mode=required without ssl-ca"),
        ({"ssl_mode": "verify_ca"}, "does not support the encryption of ssl-mode=verify_ca without ssl-ca"),
        ({"host": "192.0.2.7", "ssl_mode": "verify_ca", "ssl_ca": "/ca.pem"}, "192.0.2.7 is another computer"),
        ({"host": "localhost.example", "ssl_mode": "verify_ca", "ssl_ca": "/ca.pem"}, "is another computer"),
        ({"ssl_mode": "verify_identity", "ssl_ca": "/ca.pem"}, "encryption of ssl-mode=verify_identity"),
    ],
)
def test_sysbench_refuses_encryption_that_it_cannot_keep(changed, problem):
    with pytest.raises(SpecError, match=problem) as caught:
        certificate_authorities({"host": "127.0.0.1", **changed})
    assert caught.value.hint


def test_sysbench_checks_certificate_with_file_of_the_url():
    params = {**PARAMS, "host": "127.0.0.1", "ssl_mode": "verify_ca", "ssl_ca": "/etc/ca.pem"}
    encrypted = sysbench_job(params, VALUES, ("run",))
    plain = SysbenchScript(BeginOrder(PARAMS, "sysbench", 0, 1, 0, parameters=VALUES), 2).job()
    assert encrypted.files["cacert.pem"] == Path("/etc/ca.pem")
    assert "--mysql-ssl=on" in encrypted.words
    assert not plain.files
    assert plain.environment["MARIADB_PLUGIN_DIR"] == "/nonexistent"
    assert encrypted.environment["MARIADB_PLUGIN_DIR"] == "."  # a folder that has one plugin
    assert {name for name in encrypted.files if name.endswith(".so")} <= {"caching_sha2_password.so"}


def test_sysbench_at_socket_may_load_its_login_in_closed_folder_only(tmp_path):
    params = {**PARAMS, "host": str(tmp_path / "server.sock"), "port": "0"}
    closed = sysbench_job(params, VALUES, ("run",))
    tmp_path.chmod(0o1777)
    opened = sysbench_job(params, VALUES, ("run",))
    assert f"--mysql-socket={params['host']}" in closed.words
    assert not [word for word in closed.words if word.startswith(("--mysql-host", "--mysql-port"))]
    assert (closed.environment["MARIADB_PLUGIN_DIR"], opened.environment["MARIADB_PLUGIN_DIR"]) == (".", "/nonexistent")
    assert set(closed.files) <= {"caching_sha2_password.so"}
    assert not opened.files


@pytest.mark.parametrize(("seed", "given"), [(0, 2**31 - 1), (1, 1), (2**32 - 1, 1)])
def test_every_seed_of_a_sweep_is_one_that_it_takes(seed, given):
    job = SysbenchScript(BeginOrder(PARAMS, "sysbench", 0, seed, 0, parameters=VALUES), 2).job()
    assert f"--rand-seed={given}" in job.words


def test_nothing_in_the_current_folder_is_run_in_its_scripts_place():
    job = SysbenchScript(BeginOrder(PARAMS, "sysbench", 0, 1, 0, parameters=VALUES), 2).job()
    assert Path(job.words[0]).is_absolute()
    assert Path(job.words[-2]).is_absolute()
    assert Path(job.environment["LUA_PATH"]).is_absolute()
    assert job.environment["LUA_CPATH"] == ""


@pytest.mark.parametrize(
    ("after", "totals", "said"),
    [
        (SysbenchState((SIZE, SIZE), (0, 0), (1, 2), 30), UserTotals(20, 0, 0, 20), ""),
        (SysbenchState((SIZE, SIZE), (0, 0), (1, 2), 29), UserTotals(20, 0, 0, 20), "the server counted 19 only"),
        (SysbenchState((SIZE, SIZE), (0, 0), (1, 2), 30), UserTotals(20, 0, 0, 21), "its lines report 21"),
        (SysbenchState((SIZE, 9), (0, 0), (1, 2), 30), UserTotals(20, 0, 0, 20), "sbtest2 has 9 rows"),
        (SysbenchState((SIZE, SIZE), (0, 3), (1, 2), 30), UserTotals(20, 0, 0, 20), "sbtest2 has 3 rows of other keys"),
        (SysbenchState((SIZE, SIZE), (0, 0), (1, 3), 30), UserTotals(20, 0, 0, 20), "users only read"),
    ],
)
def test_each_part_of_the_check_can_fail(after, totals, said):
    check = check_events(SysbenchState((SIZE, SIZE), (0, 0), (1, 2), 10), after, SIZE, totals)
    assert check.passed is not bool(said)
    assert said in check.text


@pytest.mark.parametrize("odd", ["1.2.3", "9" * 400, "1" * 5_000, "\u0663", "9e9"])
def test_line_with_a_number_that_is_none_reports_nothing(odd):
    good = ["10.0", "1.0", "7", "4.5", "5", "1"]
    for place in range(len(good)):
        words = [*good[:place], odd, *good[place + 1 :]]
        line = "domtune: at {} s, {} s, {} events, {} ms, {} repeated, {} reconnects".format(*words)
        assert read((10.4, line))[1] == []
    reader, _ = read((1.0, f"total number of events: {'9' * 400}"))
    with pytest.raises(LoadDied, match="without a total number of events"):
        reader.completed(9.0)

"""Laws of the load tpch that hold on every real database in the same words."""

import contextlib
from functools import partial

import msgspec
import pytest

from scheduler.errors import DatabaseUnsuitable
from scheduler.loads.data_fingerprint import DECISIVE_SETTINGS, settings_query
from scheduler.loads.tables.table_set import MARKER
from scheduler.loads.tpch import queries, tpch_data
from scheduler.loads.tpch.query_counters import has_delay_accounting
from scheduler.loads.tpch.tpch_schema import NAMES, qualify_statement, tpch_schema_name
from scheduler.loads.tpch.tpch_workload import TpchWorkload
from tests import volume
from tests.contract.loads_contract import seconds_of, seconds_until, wait_until, working
from tests.contract.tpch_answers import answers_of_duckdb, differences

KIND = "tpch"
SMALL = 0.01
COSTS = ("time", "user CPU", "system CPU", "page faults", "waiting for the CPU", "read")
OF_DISK = "waiting for the disk"
OF_WORKERS = ("CPU of I/O workers", "page faults of I/O workers", "read of I/O workers")
SCALES = (SMALL, 0.1) if volume.deep() else (SMALL,)


def cooled(loads, server, servers, found):
    """Cool the server when somebody waits for that, note its process; return whether three queries were answered."""
    done = sum(second.count for second in found)
    if loads.cold and done < 3:
        loads.cooled(server.restart_cold())
        servers.append(server.pid)
    return done >= 3


class TpchContract:
    """Derive from it and provide `server`, a real one, and `load(**parameters)`, a load of two users there."""

    costs = COSTS
    """What is measured of each query."""
    locking = ""
    """Statements that keep everybody else from a table, `{}`."""
    unlocking = ""

    @pytest.fixture
    def server(self):
        raise NotImplementedError

    def load(self, server, **parameters):
        raise NotImplementedError

    @pytest.fixture
    def alone(self):
        """Return a server that nobody else uses."""
        raise NotImplementedError

    @contextlib.contextmanager
    def session(self, server):
        """Yield what runs statements on one connection."""
        raise NotImplementedError

    @pytest.fixture
    def opened(self, server):
        """Return what opens and prepares loads; they are closed afterwards."""
        with contextlib.ExitStack() as stack:

            def opened(**parameters):
                pool = server.pool(self.load(server, **parameters))
                stack.callback(pool.close)
                pool.preflight()
                pool.prepare(KIND)
                return pool

            yield opened

    def ask(self, server, statement, scale=SMALL):
        return server.ask(qualify_statement(statement, scale))

    @pytest.mark.parametrize("scale", SCALES)
    def test_all_answers_are_those_of_a_second_engine(self, opened, server, scale):
        opened(scale=scale)
        wanted = answers_of_duckdb(tpch_data.ensure_files(scale), scale)
        name = self.load(server).engine
        found = {n: server.ask(queries.query_text(n, name, scale)) for n in queries.QUERY_NUMBERS}
        assert {n: list(differences(found[n], wanted[n])) for n in found} == {n: [] for n in found}
        assert sum(map(len, found.values())) > 300

    def test_query_over_its_limit_is_named_and_never_counted(self, opened, server):
        loads = opened(scale=SMALL, limit_s=1)
        with self.session(server) as run:
            run(qualify_statement(self.locking.format("@.lineitem"), SMALL))
            loads.start(KIND)
            blocked = seconds_of(loads, 3)
            run(self.unlocking)
        assert "Q14 over 1 s" in {name for second in blocked for name in second.failures}
        assert sum(second.errors for second in blocked) >= 2
        assert all(sum(second.histogram.values()) == second.count for second in blocked)
        assert not any(figure.name.startswith("Q14 ") for second in blocked for figure in second.figures)
        check = loads.stop()
        assert check.passed, check.text
        assert "without an answer: " in check.text
        assert "Q14 over 1 s" in check.text

    def test_each_query_has_its_time_and_what_it_cost_the_server(self, opened):
        loads = opened(scale=SMALL)
        loads.start(KIND)
        seconds = working(loads, 2)
        check = loads.stop()
        assert check.passed, check.text
        assert all(sum(second.histogram.values()) == second.count for second in seconds)
        figures = [figure for second in seconds for figure in second.figures]
        costs = (*self.costs, OF_DISK) if has_delay_accounting() else self.costs
        totals = dict.fromkeys(costs, 0.0)
        for figure in figures:
            assert figure.value >= 0
            totals[figure.name.partition(" ")[2]] += figure.value
        assert set(totals) == set(costs)
        assert sum(figure.name.endswith(" time") for figure in figures) * len(costs) == len(figures)
        assert 0 < totals["user CPU"] + totals["system CPU"] <= totals["time"]

    def test_each_cold_query_finds_a_server_just_started_with_nothing_in_memory(self, alone):
        loads = alone.pool(msgspec.structs.replace(self.load(alone, scale=SMALL, cold=True), users=1))
        with contextlib.closing(loads):
            loads.preflight()
            loads.prepare(KIND)
            loads.start(KIND)
            wait_until(lambda: list(loads.poll()) != [] and loads.cold, "asking for a cold database")
            loads.park()
            loads.unpark()
            servers = []
            three = partial(cooled, loads, alone.server, servers)
            seconds = seconds_until(loads, three, "three cold queries")
            check = loads.stop()
            assert check.passed, check.text
        assert len(set(servers)) == len(servers) >= 3
        figures = {figure.name: figure for second in seconds for figure in second.figures}
        for query in ("Q14", "Q2", "Q9"):  # the first of a power test
            assert figures[f"{query} in memory before"].value < 1_000_000
            read = [figures[name].value for name in figures if name.startswith(f"{query} read")]
            assert sum(read) > 100_000  # by the back end, or by the I/O workers for it

    def test_settings_that_decide_are_reported_by_name_and_value(self, server):
        name = self.load(server).engine
        reported = {str(setting): str(value) for setting, value in server.ask(settings_query(name))}
        assert len(reported) >= len(DECISIVE_SETTINGS[name]) - 1  # a version may lack one
        assert set(reported) <= set(DECISIVE_SETTINGS[name])
        assert all(reported.values())

    def test_rows_that_others_change_fail_the_check_and_are_loaded_again(self, opened, server):
        loads = opened(scale=SMALL)
        self.ask(server, "UPDATE @.lineitem SET l_discount = 0.5 - l_discount WHERE l_shipdate = DATE '1995-09-05'")
        loads.start(KIND)
        seconds_of(loads, 1)
        check = loads.stop()
        assert not check.passed
        assert "Q14 had other values in its 1 rows" in check.text
        loads.prepare(KIND)
        assert self.ask(server, "SELECT count(*) FROM @.lineitem WHERE l_discount > 0.3")[0][0] == 0
        self.ask(server, "DELETE FROM @.region WHERE r_regionkey = 4")
        loads.start(KIND)
        check = loads.stop()
        assert not check.passed
        assert "region held 5:10, now 4:6" in check.text

    def test_schema_of_another_else_is_neither_used_nor_changed(self, server):
        foreign = tpch_schema_name(0.02)
        self.make_schema(server, foreign)
        server.ask(f"CREATE TABLE {foreign}.lineitem (theirs INT)")
        self.ask(server, "INSERT INTO @.lineitem VALUES (7)", 0.02)
        pool = server.pool(self.load(server, scale=0.02))
        try:
            with pytest.raises(DatabaseUnsuitable, match=f"a schema {foreign} that DomTune did not create"):
                pool.preflight()
            assert [tuple(row) for row in self.ask(server, "SELECT theirs FROM @.lineitem", 0.02)] == [(7,)]
        finally:
            pool.close()
            self.drop_schema(server, foreign)

    def test_tables_are_used_again_and_half_loaded_ones_are_not(self, opened, server, monkeypatch):
        loads = opened(scale=SMALL)
        loaded = []
        monkeypatch.setattr(TpchWorkload, "load_tables", lambda workload, session, tables: loaded.append(tables.schema))
        loads.prepare(KIND)
        assert loaded == []
        self.ask(server, "UPDATE @.domtune_marker SET value = 'begun' WHERE name = 'state'")
        loads.prepare(KIND)
        assert loaded == [tpch_schema_name(SMALL)]
        self.ask(server, "UPDATE @.domtune_marker SET value = 'complete' WHERE name = 'state'")
        assert self.tables(server, tpch_schema_name(SMALL)) == {*NAMES, MARKER}

    def make_schema(self, server, name):
        server.ask(f"CREATE SCHEMA {name}")

    def drop_schema(self, server, name):
        server.ask(f"DROP SCHEMA {name}")

    def tables(self, server, schema):
        rows = server.ask("SELECT table_name, table_schema FROM information_schema.tables")
        return {name for name, where in rows if where == schema}

"""The parts of tpch that need no database: texts, orders, answers, costs, and what the check compares."""

import datetime
import os
from decimal import Decimal
from pathlib import Path

import pytest

from scheduler.errors import LoadError, SpecError
from scheduler.loads.tpch import queries, query_answers, query_counters, tpch_checks, tpch_data
from scheduler.loads.tpch.tpch_schema import NAMES, TABLES, tpch_schema_name
from scheduler.loads.tpch.tpch_workload import open_workload
from scheduler.loads.user_messages import UserTotals
from scheduler.model.load import LoadSpec

KEPT = {"Q1": "4:abc", "Q17": "1:def"}
BEFORE = {"region": "5:10"}


def test_every_query_has_a_text_on_every_database_and_reads_our_schema_only():
    for database in ("postgresql", "mariadb", "duckdb"):
        for number in queries.QUERY_NUMBERS:
            text = queries.query_text(number, database, 0.1)
            assert "@" not in text
            assert "{" not in text
            assert "domtune_tpch_0_1." in text
    assert queries.query_text(13, "mariadb", 1) != queries.query_text(13, "postgresql", 1)
    assert "* 0.0000500000" in queries.query_text(11, "postgresql", 2)


def test_first_user_has_the_power_order_and_every_other_a_permutation_that_stays():
    assert queries.query_order(7, 0) == queries.POWER_ORDER
    streams = [queries.query_order(7, user) for user in range(10)]
    assert all(sorted(stream) == list(queries.QUERY_NUMBERS) for stream in streams)
    assert len(set(streams)) == 10
    assert streams == [queries.query_order(7, user) for user in range(10)]
    assert queries.query_order(8, 1) != streams[1]


def test_answer_is_the_same_by_whichever_driver_it_came():
    one = [(1, Decimal("2.50"), "x  ", datetime.date(1995, 3, 11)), (None, Decimal(3), "y", 1.5)]
    other = [(None, 3, b"y", 1.5), (Decimal("1.0"), Decimal("2.5"), b"x", datetime.date(1995, 3, 11))]
    assert query_answers.answer_digest(one) == query_answers.answer_digest(other)
    assert query_answers.answer_digest(one).startswith("2:")
    assert query_answers.answer_digest(one) != query_answers.answer_digest(
        [(1, Decimal("2.51"), "x", datetime.date(1995, 3, 11)), one[1]]
    )


def test_published_first_rows_are_reported_from_others():
    assert query_answers.differs_from_published(6, [(Decimal("123141078.2283"),)]) == ""
    assert query_answers.differs_from_published(6, [(Decimal("123142078.2283"),)]).startswith("Q6 begins with")
    assert query_answers.differs_from_published(4, [("1-URGENT", 10594)]) == "Q4 has 1 rows, not 5"
    assert sorted(query_answers.FIRST_ROWS) == list(queries.QUERY_NUMBERS)


def test_check_names_what_had_no_answer_and_fails_for_what_had_another():
    over = UserTotals(3, 0, 0, sorts={"Q1": 3, "Q17 over 60 s": 2}, answers={"Q1 4:abc": 3})
    passed = tpch_checks.check_answers(KEPT, BEFORE, BEFORE, over)
    assert passed.passed
    assert passed.text.endswith("without an answer: Q17 over 60 s (2 times)")
    wrong = tpch_checks.check_answers(KEPT, BEFORE, BEFORE, UserTotals(1, 0, 0, answers={"Q1 3:abc": 1}))
    assert not wrong.passed
    assert "Q1 had 3 rows, not 4" in wrong.text
    changed = tpch_checks.check_answers(KEPT, BEFORE, {"region": "4:6"}, over)
    assert not changed.passed
    assert not tpch_checks.check_answers(KEPT, BEFORE, BEFORE, UserTotals(4, 0, 0, answers={"Q1 4:abc": 3})).passed


def test_check_without_a_preparation_is_an_error():
    with pytest.raises(LoadError, match="before it was prepared"):
        open_workload(LoadSpec("tpch")).check(None, UserTotals(0, 0, 0))


@pytest.mark.parametrize("scale", [0, 0.0, 0.009, -1, 101, float("nan"), "1"])
def test_no_other_scale_than_0_01_to_100_is_taken(scale):
    with pytest.raises(SpecError, match=r"load.scale"):
        LoadSpec("tpch", parameters={"scale": scale})
    assert LoadSpec("tpch", parameters={"scale": 1}).values["scale"] == 1
    assert [tpch_schema_name(each) for each in (0.01, 1, 1.0, 100.0)] == [
        "domtune_tpch_0_01",
        "domtune_tpch_1",
        "domtune_tpch_1",
        "domtune_tpch_100",
    ]


def test_disk_too_small_for_the_rows_is_reported_before_any_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(tpch_data, "cache_folder", lambda: tmp_path)
    with pytest.raises(LoadError, match=r"at scale 1e\+09|at scale 1000000000 need .* MB are free"):
        tpch_data.ensure_files(1e9)
    assert list(tmp_path.iterdir()) == []


def test_generator_that_fails_or_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(tpch_data, "cache_folder", lambda: tmp_path)
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho No space left on device >&2; exit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(tpch_data, "find_generator", lambda: broken)
    with pytest.raises(LoadError, match=r"\(status 3\): No space left on device"):
        tpch_data.ensure_files(0.01)
    assert list(tmp_path.iterdir()) == [broken]
    monkeypatch.undo()
    monkeypatch.setattr(tpch_data.sysconfig, "get_path", lambda _: "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LoadError, match="needs tpchgen-cli") as missing:
        tpch_data.find_generator()
    assert missing.value.hint == "pip install tpchgen-cli"


def test_rows_come_whole_and_without_the_delimiter_at_their_end(tmp_path, monkeypatch):
    monkeypatch.setattr(tpch_data, "_CHUNK_BYTES", 7)
    (tmp_path / "region.tbl").write_bytes(b"0|AFRICA|x|\n1|ASIA|y|\n")
    pieces = list(tpch_data.read_chunks(tmp_path, "region"))
    assert b"".join(pieces) == b"0|AFRICA|x\n1|ASIA|y\n"
    assert all(piece.endswith(b"\n") or not piece for piece in pieces)
    assert tpch_data.count_rows(tmp_path, "region") == 2


def test_exact_cpu_is_divided_as_the_ticks_are_and_unknown_figures_are_left_out():
    before = query_counters.ProcessUsage(1.0, 1.0, 10, 2.0, 0.5, 4096)
    after = query_counters.ProcessUsage(1.03, 1.01, 15, 2.05, 0.7, 8192)
    found = {figure.name: round(figure.value, 6) for figure in query_counters.usage_figures("Q6", before, after)}
    assert found == {
        "Q6 user CPU": 37.5,
        "Q6 system CPU": 12.5,
        "Q6 page faults": 5,
        "Q6 waiting for the CPU": 200,
        "Q6 read": 4096,
    }
    reported = query_counters.usage_figures(
        "Q6",
        query_counters.ProcessUsage(1.0, 1.0, 10, blocked_s=2.0),
        query_counters.ProcessUsage(1.0, 1.0, 10, blocked_s=2.5),
    )
    assert (reported[-1].name, reported[-1].value) == ("Q6 waiting for the disk", 500)
    bare = query_counters.usage_figures(
        "Q6", query_counters.ProcessUsage(1.0, 1.0, 10), query_counters.ProcessUsage(1.0, 1.0, 10)
    )
    assert [figure.name for figure in bare] == ["Q6 user CPU", "Q6 system CPU", "Q6 page faults"]


def test_this_process_can_be_read_and_one_that_is_gone_cannot():
    found = query_counters.read_usage(Path(f"/proc/{os.getpid()}"))
    assert found.user_s > 0
    assert found.cpu_s > 0
    assert found.faults > 0
    assert query_counters.read_usage(Path("/proc/0")) is None


def test_io_workers_cost_is_distinguished_and_not_at_all_once_one_is_gone():
    ours = Path(f"/proc/{os.getpid()}")
    seen = query_counters.QueryCounters(ours, [ours, ours])
    seen.begin()
    assert sum(range(200_000))
    found = {figure.name: figure.value for figure in seen.since("Q6")}
    assert found["Q6 CPU of I/O workers"] > found["Q6 user CPU"] + found["Q6 system CPU"] > 0
    assert set(found) >= {"Q6 page faults of I/O workers", "Q6 read of I/O workers"}
    assert query_counters.read_total_usage([ours, Path("/proc/0")]) is None
    assert query_counters.read_total_usage([]) is None


def test_time_alone_is_reported_where_the_server_is_not_to_be_seen():
    unseen = query_counters.QueryCounters(None)
    unseen.begin()
    assert [figure.name for figure in unseen.since("Q3")] == ["Q3 time"]


def test_tables_and_their_keys_are_those_of_the_standard():
    assert len(TABLES) == len(NAMES) == 8
    assert sum(len(table.column_names) for table in TABLES) == 61
    for table in TABLES:
        named = {column for columns in (table.key, table.total, *table.indexes) for column in columns.split(", ")}
        assert named <= set(table.column_names)

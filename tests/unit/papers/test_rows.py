"""Runs of other studies than splits beside their papers: ranks and shares of queries, and of numbers of users."""

import msgspec
import pytest

from app.pages.result_data import result_data_of
from scheduler.export.paper_figure import ranks_figure
from scheduler.model.setting import VcpusSetting
from scheduler.papers.comparison import load_papers
from scheduler.papers.rows import vcpu_rows
from tests.studies_maker import capacity_documents, full_at, overhead_documents

USERS = 'host = "local:"\nstudy = "capacity"\n[[load]]\nkind = "tpcb"\nusers = 32\n'


TPCH = '[[load]]\nkind = "tpch"\nusers = 1\n'


def queries_beside(more: str):
    (beside,) = result_data_of(overhead_documents(more=TPCH + more)).besides
    return beside


@pytest.fixture(scope="module")
def queries():
    return queries_beside("reconnect = true\n")


@pytest.fixture(scope="module")
def users():
    (beside,) = result_data_of(capacity_documents(USERS, full_at(tpcb=6))).besides
    return beside


def test_queries_remain_with_their_ranks_in_the_paper_and_here(queries):
    rows = {row.item: row for row in queries.standings}
    assert queries.paper.id == "000"
    assert len(rows) == 22
    assert (rows["Q22"].stated, rows["Q20"].stated) == ((1, 1), (22, 22))
    assert rows["Q20"].stated_frac == pytest.approx(1.0658 / 1.6003)
    assert (rows["Q5"].found, rows["Q5"].found_frac) == ((1, 1), 1.0)
    assert rows["Q1"].found[0] < rows["Q1"].found[1]
    assert all(row.found[0] <= row.rank <= row.found[1] for row in rows.values())


def test_papers_figures_are_those_of_the_same_caches_and_connections(queries):
    one, cold = queries_beside(""), queries_beside("cold = true\n")
    assert [len(beside.standings) for beside in (one, queries, cold)] == [10, 22, 22]
    stated = [next(row.stated for row in beside.standings if row.item == "Q21") for beside in (one, queries, cold)]
    assert stated == [(6, 6), (12, 12), (5, 5)]
    assert "connection per query, as here" in queries.note
    assert "cold caches, as here" in cold.note
    assert "one connection for all, as here" in one.note


def test_numbers_of_users_remain_with_the_ranks_that_the_papers_ranges_give(users):
    rows = {row.item: row for row in users.standings}
    assert users.paper.id == "002"
    assert list(rows) == ["1", "2", "4", "8", "16", "32"]
    assert [rows[name].stated for name in rows] == [(1, 3), (1, 3), (1, 3), (4, 5), (4, 5), (6, 6)]
    assert rows["32"].found == (6, 6)
    assert rows["32"].found_frac == pytest.approx(6 / 32, rel=0.05)
    assert users.summary.startswith("6 of 6 numbers of users")


def test_picture_reports_how_the_methods_differ_and_draws_no_split(queries, users):
    for beside in (queries, users):
        figure = ranks_figure(beside)
        assert beside.paper.method.short in figure
        assert beside.here in figure
        assert beside.axis in figure
        assert "guest" not in figure
        assert {row.what for row in beside.differences} >= {"Machine", "Database and load"}
        assert not any("fitted" in remark for remark in beside.remarks)


def test_run_with_too_little_in_common_is_laid_next_to_nothing():
    assert result_data_of(overhead_documents()[:1]).besides == ()
    assert result_data_of(capacity_documents()).besides == ()


def test_numbers_of_vcpus_remain_with_what_doublings_give():
    paper = next(paper for paper in load_papers() if paper.id == "004")
    rates = {1: 100.0, 2: 200.0, 4: 395.0, 8: 400.0}
    made = result_data_of(overhead_documents()).results
    blank = msgspec.structs.replace(made.points[0], load="order-entry")
    points = tuple(
        msgspec.structs.replace(blank, setting=VcpusSetting(vcpus), mean_tps=tps, ci95_tps=(0.97 * tps, 1.03 * tps))
        for vcpus, tps in rates.items()
    )
    results = msgspec.structs.replace(made, points=points)
    rows = vcpu_rows(paper, results, "order-entry")
    assert [(row.name, row.stated, row.found) for row in rows] == [
        ("2", (3, 3), (3, 3)),
        ("4", (2, 2), (1, 2)),
        ("8", (1, 1), (1, 2)),
    ]
    assert rows[0].stated_frac == pytest.approx(1 / (1.90 * 1.87))

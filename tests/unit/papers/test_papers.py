"""The papers as data: complete, consistent in themselves, and read with clear errors."""

import statistics

import pytest

from scheduler.errors import StoreError
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.spec import PAPER_SPLITS
from scheduler.papers.comparison import load_papers, matching_papers, parse_paper
from scheduler.papers.paper_model import DifferentBestClaim, FigureClaim, GapClaim, MedianClaim, OrderClaim
from scheduler.papers.ranks import published_ranks, published_shares, relative_figures

BY_ID = {paper.id: paper for paper in load_papers()}
SPLIT, OVERHEAD = BY_ID["003"], BY_ID["000"]


def test_each_paper_belongs_to_one_study_and_to_known_loads():
    assert {paper.id: paper.study for paper in load_papers()} == {
        "000": "overhead",
        "002": "capacity",
        "003": "split",
        "004": "scale-up",
    }
    assert {load for paper in load_papers() for load in paper.loads} <= LOAD_KINDS.keys()
    assert [paper.id for paper in matching_papers("split", ["osdb-oltp", "tpcb"])] == ["003"]
    assert matching_papers("split", ["tpch"]) == matching_papers("watch", ["osdb-ir"]) == ()


@pytest.mark.parametrize("paper", load_papers(), ids=lambda paper: paper.id)
def test_every_row_fills_its_columns_and_everything_reports_where_it_remains(paper):
    assert len({table.id for table in paper.tables}) == len(paper.tables)
    assert len({said.id for said in paper.statements}) == len(paper.statements)
    assert all(part.where for part in (*paper.tables, *paper.statements))
    assert paper.left_out
    for table in paper.tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}
        assert len({row[0] for row in table.rows}) == len(table.rows)
        for column in table.columns[1:]:
            if column.better and all(value > 0 for value in table.values(column.name).values()):
                assert max(row.best_frac for row in relative_figures(table, column.name)) == 1.0


def test_first_tables_splits_are_those_that_a_plan_offers():
    ratios = [f"{row[1]}:{row[2]}" for row in SPLIT.table("quotas").rows]
    assert tuple(ratios) == SPLIT.splits == PAPER_SPLITS


def test_every_claim_is_about_splits_and_loads_of_the_paper():
    for said in SPLIT.statements:
        match said.claim:
            case OrderClaim(load=load, splits=splits, others=others):
                assert load in SPLIT.loads
                assert {*splits, *others} <= {*SPLIT.splits}
                assert not {*splits} & {*others}
            case GapClaim(load=load, split=split, at=at):
                assert load in SPLIT.loads
                assert (split or at) in SPLIT.splits
            case MedianClaim(loads=loads, splits=splits):
                assert {*loads} <= {*SPLIT.loads}
                assert {*splits} <= {*SPLIT.splits}
            case DifferentBestClaim(loads=loads):
                assert {*loads} == {*SPLIT.loads}
            case _:
                assert said.claim is None or isinstance(said.claim, FigureClaim)


def test_stated_orders_contradict_each_other_nowhere():
    for load in SPLIT.loads:
        ranks = published_ranks(SPLIT, load, SPLIT.splits)
        assert all(1 <= best <= worst <= len(SPLIT.splits) for best, worst in ranks.values())
        shares = published_shares(SPLIT, load)
        worst = min(shares, key=shares.__getitem__)
        assert ranks[worst] == (9, 9)
    assert published_ranks(SPLIT, "osdb-oltp", SPLIT.splits)["1:5"] == (3, 3)
    assert published_ranks(SPLIT, "osdb-ir", SPLIT.splits)["1:1"] == (1, 4)  # nothing says who of five is ahead of it
    assert published_ranks(SPLIT, "osdb-ir", ("1:1", "2:5", "1:5"))["2:5"] == (2, 2)


@pytest.mark.parametrize("name", ["warm", "one-connection", "cold"])
def test_slowdowns_are_those_of_the_times_as_far_as_they_are_rounded(name: str):
    for query, base, xen, slower, slowdown in OVERHEAD.table(name).rows:
        assert xen - base == pytest.approx(slower, abs=0.0151), query
        low, high = ((xen + way * 0.005) / (base - way * 0.005) - 1 for way in (-1, 1))
        assert 100 * low - 0.1 <= slowdown <= 100 * high + 0.1, query


def test_means_that_the_overhead_paper_states_are_those_of_its_table():
    cold = list(OVERHEAD.table("cold").values("slowdown").values())
    stated = {said.id: said.claim.value for said in OVERHEAD.statements if isinstance(said.claim, FigureClaim)}
    assert statistics.mean(cold) == pytest.approx(stated["cold"], abs=0.05)
    assert statistics.mean(value for value in cold if value > 0) == pytest.approx(stated["cold-slower"], abs=0.05)
    assert statistics.mean(value for value in cold if value < 0) == pytest.approx(stated["cold-faster"], abs=0.05)


def test_multiples_and_shares_of_the_scale_up_paper_agree():
    paper = BY_ID["004"]
    rows = {row[0]: row[2:] for row in paper.table("native").rows}
    native, virtual = rows["business transactions"]
    assert 100 * virtual / native == pytest.approx(85, abs=0.5)
    old, new = (paper.table("releases").values(name) for name in ("ESX 3.5", "ESX 4.0"))
    twice = paper.table("scale-up").values("multiple")
    assert new["8"] / new["4"] == pytest.approx(twice["8 against 4"], abs=0.01)
    assert new["4"] / old["4"] == pytest.approx(1.28, abs=0.005)


def test_table_without_heights_keeps_order_and_ratios():
    table = OVERHEAD.table("warm")
    by_name = {row.name: row for row in relative_figures(table, "xen")}
    assert by_name["Q2"].rank == 1
    assert by_name["Q2"].best_frac == 1.0
    assert by_name["Q1"].best_frac == pytest.approx(0.17 / 15.30)
    assert sorted(row.rank for row in by_name.values())[-1] == 22
    with pytest.raises(ValueError, match="the direction of 'slower by' is missing"):
        relative_figures(table, "slower by")
    with pytest.raises(ValueError, match="not above 0"):
        relative_figures(OVERHEAD.table("cold"), "slowdown")
    with pytest.raises(KeyError):
        relative_figures(table, "no such column")


def test_file_that_holds_no_paper_is_named_with_what_is_wrong():
    with pytest.raises(StoreError, match=r"papers/x\.toml holds no paper: .*missing required field"):
        parse_paper("x.toml", 'id = "x"')
    with pytest.raises(StoreError, match=r"papers/x\.toml holds no paper"):
        parse_paper("x.toml", "id = ")

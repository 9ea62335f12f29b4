"""The overhead study: how much slower, with what the repeats justify; which counter goes with it."""

import math
import random
import re

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.loads.tpch import query_counters
from scheduler.model.named_figures import NamedFigure
from scheduler.model.number_texts import format_percent
from scheduler.studies.overhead.correlation import correlate_counters
from scheduler.studies.overhead.overhead_texts import comparison_headline, explain_slowdown, slowdown_verdict
from scheduler.studies.overhead.query_costs import QueryCost, read_costs, select_times
from scheduler.studies.overhead.slowdown import compare_sides
from scheduler.studies.overhead.slowdown_causes import FAULT_RATE, find_causes
from tests.bench.overhead_trials import CLOUDS, NOISES, called_unlike, claims, held, told_apart
from tests.bench.side_table import build_side_rows, divide_by_time
from tests.volume import times

# Seed study of Xen against Linux, its Tables 1 and 3: page faults per second in the guest, and relative slowdown in %.
PAPER = {
    "Q21": (74700, 31.03),
    "Q7": (65817, 30.14),
    "Q5": (57136, 32.21),
    "Q10": (53593, 26.17),
    "Q3": (52814, 34.35),
    "Q19": (45261, 20.41),
    "Q18": (41029, 23.12),
    "Q9": (28326, 16.49),
    "Q1": (17594, 7.82),
    "Q13": (6400, 8.93),
}
SLOWER = {"Q1": 1.5, "Q2": 1.2, "Q3": 1.0, "Q4": 1.4, "Q5": 1.1, "Q6": 1.3, "Q7": 1.25}
LUCK = (1.0, 3.0, 0.5, 2.0)


def sides(slower=SLOWER, off=0.001, luck=LUCK):
    """Return times of 1, 2, ... s: blocks whose luck both sides share, and next to no noise."""
    rng = random.Random(1)
    return {
        side: {
            block: {
                item: seconds * part * (slower[item] if side == "xen" else 1.0) * math.exp(off * rng.gauss(0, 1))
                for seconds, item in enumerate(slower, 1)
            }
            for block, part in enumerate(luck)
        }
        for side in ("base", "xen")
    }


def costs(slower=SLOWER, **changes):
    """Return costs of times whose added part is system CPU, with so many faults a second as it is."""
    found = {}
    for side, blocks in sides(slower).items():
        found[side] = {
            block: {
                item: QueryCost(
                    time_s=time_s,
                    user_s=0.5 * time_s / (slower[item] if side == "xen" else 1.0),
                    system_s=0.1 * time_s + (0.5 * time_s * (1 - 1 / slower[item]) if side == "xen" else 0.0),
                    faults=time_s * (1_000 + 10_000 * (slower[item] - 1)),
                    cpu_wait_s=0.1 * time_s,
                    **changes,
                )
                for item, time_s in items.items()
            }
            for block, items in blocks.items()
        }
    return found


def test_known_slowdown_is_found_whatever_luck_the_blocks_have():
    found = compare_sides(sides(), "base", "xen")
    for item in found.items:
        assert item.slower_frac == pytest.approx(SLOWER[item.item] - 1, abs=0.005)
        assert item.ci95_frac[0] < item.slower_frac < item.ci95_frac[1] < item.slower_frac + 0.02
        assert item.added_s == pytest.approx(item.other_s - item.base_s)
    mean = math.exp(sum(map(math.log, SLOWER.values())) / len(SLOWER))
    assert found.geometric.slower_frac == pytest.approx(mean - 1, abs=0.003)
    assert found.total.added_s == pytest.approx(sum(item.added_s for item in found.items))
    assert set(found.surely) == set(SLOWER) - {"Q3"}
    assert [slowdown_verdict(item) for item in found.items] == ["slower", "slower", "below noise", *["slower"] * 4]


def test_slowdown_below_the_noise_is_called_so_with_what_could_have_been_seen():
    found = compare_sides(sides(dict.fromkeys(SLOWER, 1.02), off=0.2), "base", "xen")
    assert {slowdown_verdict(item) for item in found.items} == {"below noise"}
    assert not found.surely
    first, second = comparison_headline(found)
    assert "below the noise" in first
    assert f"a slowdown of {format_percent(found.geometric.smallest_frac)}" in first
    assert "0 slower, 0 faster, 7 below noise" in second


def test_headline_of_one_item_counts_no_items():
    (text,) = comparison_headline(compare_sides(sides({"tpcb": 1.2}), "base", "xen"))
    assert re.fullmatch(r"xen against base: 20 % slower \(.*; 4 blocks\)\.", text)


def test_two_blocks_report_nothing_of_the_noise():
    found = compare_sides(sides(luck=(1.0, 1.0)), "base", "xen")
    assert {(item.ci95_frac, item.chance, slowdown_verdict(item)) for item in found.items} == {
        (None, None, "too few blocks")
    }
    assert "fewer than 3 blocks" in comparison_headline(found)[0]
    reported = costs()
    few = {side: {block: reported[side][block] for block in (0, 1)} for side in reported}
    assert (
        "fewer than 3 whole blocks"
        in explain_slowdown(find_causes(few, compare_sides(select_times(few), "base", "xen")), found)[-1]
    )


def test_what_did_not_end_is_named_and_makes_no_block_unlike_another():
    seen = sides()
    del seen["xen"][0]["Q1"]
    for blocks in seen["xen"].values():
        del blocks["Q2"]
    found = compare_sides(seen, "base", "xen")
    assert found.unpaired == ("Q2",)
    assert (found.items[0].item, found.items[0].blocks, found.geometric.blocks) == ("Q1", 3, 3)
    assert "Q2 did not end on both sides." in comparison_headline(found)[1]


def test_no_time_and_no_side_are_refused():
    with pytest.raises(SpecError, match=r"base, block 2, Q3: 0.0 s is no time"):
        compare_sides({**sides(), "base": {2: {"Q3": 0.0}}}, "base", "xen")
    with pytest.raises(SpecError, match="there are no measurements on relay"):
        compare_sides(sides(), "base", "relay")
    with pytest.raises(SpecError, match="no block has an item on both base and xen"):
        compare_sides({"base": {1: {"Q1": 1.0}}, "xen": {2: {"Q1": 1.0}}}, "base", "xen")


@pytest.mark.parametrize("name", ["normal, 5 %", "heavy tails, 10 %", "uneven queries, 0.5 to 15 %"])
def test_intervals_hold_the_known_slowdown(name):
    trials = times(60, 600)
    found = held(NOISES[name], 5, trials, 77_600_000)
    assert found.query >= 0.93
    assert found.geometric >= 0.95 - 3 * (0.95 * 0.05 / trials) ** 0.5
    assert found.alarms <= 0.05 + 3 * (0.95 * 0.05 / trials * 2) ** 0.5


@pytest.mark.parametrize("blocks", [3, 5, 10])
def test_smallest_slowdown_is_distinguished_four_times_in_five(blocks):
    assert told_apart(blocks, 1_000, 77_600_001) == pytest.approx(0.8, abs=0.05)


def test_page_faults_go_with_the_slowdown_in_the_papers_own_figures():
    slower = {item: pct / 100 for item, (_, pct) in PAPER.items()}
    found = correlate_counters(slower, {"rate": {item: float(rate) for item, (rate, _) in PAPER.items()}})["rate"]
    assert found.r == pytest.approx(0.916, abs=0.001)
    assert found.interval[0] > 0.5
    assert found.claimed


def test_what_one_item_carries_few_items_or_no_spread_is_no_claim():
    y = {f"Q{place}": value for place, value in enumerate((0.1, -0.1, 0.05, -0.05, 0.08, -0.02, 9.0))}
    lone = {item: 50.0 if item == "Q6" else float(place % 2) for place, item in enumerate(y)}
    few = dict(list(y.items())[:5])
    found = correlate_counters(y, {"lone": lone, "few": few, "still": dict.fromkeys(y, 2.0)})
    assert found["lone"].r > 0.99
    assert found["lone"].without[0] == "Q6"
    assert not found["lone"].claimed
    assert (found["few"], found["still"]) == (None, None)


def test_counters_that_have_nothing_to_do_with_it_are_hardly_ever_claimed():
    trials = times(20, 400)
    for draw in (CLOUDS["normal cloud"], CLOUDS["heavy tails"]):
        assert claims(draw, 0.0, trials, 77_600_002) <= 0.05 + 3 * (0.95 * 0.05 / trials) ** 0.5
    assert claims(CLOUDS["normal cloud"], 0.9, trials, 77_600_003) > 0.8


def test_account_adds_up_and_names_what_grew():
    seen = costs()
    comparison = compare_sides(select_times(seen), "base", "xen")
    found = find_causes(seen, comparison)
    assert [part.name for part in found.parts] == ["user CPU", "system CPU", "waiting for the CPU", "rest"]
    assert sum(part.added_frac for part in found.parts) == pytest.approx(comparison.total.slower_frac)
    assert found.items_differ
    assert set(found.claimed) >= {"system CPU", FAULT_RATE}
    assert found.correlations["waiting for the disk"] is None
    reported = " ".join(explain_slowdown(found, comparison))
    assert "system CPU" in reported.partition("Of that: ")[2].partition(";")[0]
    assert "this does not show a cause" in reported


@pytest.mark.parametrize("name", ["heavy tails, 10 %", "uneven queries, 0.5 to 15 %"])
def test_items_slowed_down_alike_are_hardly_ever_reported_to_differ(name):
    trials = times(30, 400)
    assert called_unlike(NOISES[name], 5, trials, 77_600_004) <= 0.05 + 3 * (0.95 * 0.05 / trials) ** 0.5


def test_counter_that_goes_the_other_way_explains_nothing():
    seen = {
        side: {
            block: {
                item: msgspec.structs.replace(cost, faults=cost.time_s * (9_000 - 5_000 * SLOWER[item]))
                for item, cost in items.items()
            }
            for block, items in blocks.items()
        }
        for side, blocks in costs().items()
    }
    comparison = compare_sides(select_times(seen), "base", "xen")
    found = find_causes(seen, comparison)
    assert found.correlations[FAULT_RATE].claimed
    assert FAULT_RATE not in found.claimed
    assert f"which explains none: {FAULT_RATE} (r = -" in " ".join(explain_slowdown(found, comparison))


def test_noise_that_both_sides_have_alike_is_in_no_part():
    """As parts of the base's time it would be: the mean of x / y is above 1 where both are drawn alike."""
    rng = random.Random(7)
    seen = {
        side: {
            block: {"Q1": QueryCost(time_s=1 + wait, user_s=0.5, system_s=0.5, cpu_wait_s=wait)}
            for block, wait in enumerate(rng.lognormvariate(0, 1.5) for _ in range(400))
        }
        for side in ("base", "xen")
    }
    comparison = compare_sides(select_times(seen), "base", "xen")
    assert not comparison.total.slowdown.differs_from()
    assert not any(part.added.differs_from() for part in find_causes(seen, comparison).parts)
    assert "no part of the time is beyond it" in explain_slowdown(find_causes(seen, comparison), comparison)[0]


def test_items_slowed_down_alike_show_no_cause():
    seen = costs(dict.fromkeys(SLOWER, 1.3), io_wait_s=0.0)
    comparison = compare_sides(select_times(seen), "base", "xen")
    found = find_causes(seen, comparison)
    assert not found.items_differ
    assert found.claimed == ()
    assert "slowed down equally, within noise" in explain_slowdown(found, comparison)[-1]


def test_every_figure_that_the_load_reports_a_query_is_read():
    spent = [
        query_counters.ProcessUsage(1.0, 0.5, 10, 1.6, 0.2, 100, 0.1),
        query_counters.ProcessUsage(3.0, 1.5, 30, 4.6, 0.5, 700, 0.4),
    ]
    figures = [NamedFigure("Q6 time", 5000.0, "ms"), *query_counters.usage_figures("Q6", *spent)]
    figures += [
        NamedFigure("Q6 CPU of I/O workers", 250.0, "ms"),
        NamedFigure("Q6 read of I/O workers", 400.0, "bytes"),
    ]
    [found] = read_costs([*figures, NamedFigure("deadlocks", 1.0, ""), NamedFigure("Q7 read", 1.0, "bytes")]).values()
    assert (found.time_s, found.workers_s, found.faults, found.read_bytes) == (5.0, 0.25, 20, 1000)
    assert (found.user_s, found.system_s) == pytest.approx((2.0, 1.0))
    assert (found.cpu_wait_s, found.io_wait_s) == pytest.approx((0.3, 0.3))
    assert found.rest_s == pytest.approx(1.4)


def test_tables_have_a_row_for_what_both_sides_know():
    seen = costs()
    rows = build_side_rows(seen, "base", "xen", divide_by_time(lambda cost: cost.faults), ["Q3", "Q1"])
    assert [row.item for row in rows] == ["Q3", "Q1"]
    assert rows[1].other.value == pytest.approx(6_000)
    assert rows[0].added.ci95[0] <= rows[0].added.value <= rows[0].added.ci95[1]
    assert build_side_rows(seen, "base", "xen", lambda cost: cost.read_bytes) == ()

"""Overhead study: its trials, its finding and sentences."""

import math
import random
import re

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.model.named_figures import NamedFigure
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.setting import SideSetting, has_direct_route
from scheduler.model.split import parse_split
from scheduler.studies.overhead.finding import finding_of
from tests.unit.plans.carrying import carried_out

PLAN = 'host = "local:"\nstudy = "overhead"\n'
ITEMS = tuple(f"Q{number}" for number in range(1, 13))


def found(slower, blocks=6, noise=0.01, more=""):
    """Return the finding of trials in which each side is so many times slower than the base, per item."""
    spec, rng = parse_plan(PLAN + f"repeats = {blocks}\n{more}"), random.Random(5)
    trials = carried_out(spec, lambda _: 100.0)
    luck = {trial.block: rng.gauss(0, 0.1) for trial in trials}

    def figures(trial):
        for place, item in enumerate(ITEMS):
            base_ms = 10.0 * (place + 1)
            factor = slower(trial.setting.label, item)
            time_ms = base_ms * factor * math.exp(luck[trial.block] + rng.gauss(0, noise))
            yield NamedFigure(f"{item} time", time_ms, "ms")
            yield NamedFigure(f"{item} system CPU", 0.3 * base_ms + (factor - 1) * base_ms, "ms")
            yield NamedFigure(f"{item} user CPU", 0.6 * base_ms, "ms")
            yield NamedFigure(f"{item} waiting for the CPU", 0.0, "ms")
            yield NamedFigure(f"{item} page faults", 7.0 + place % 3, "")

    return finding_of([msgspec.structs.replace(trial, figures=tuple(figures(trial))) for trial in trials], (), spec)


def test_it_reports_whether_its_sides_are_one_server_or_two():
    one, two = (found(lambda *_: 1.0, more=more) for more in ("", 'base = "postgresql://me@bare/db"\n'))
    assert [("the same server" in line, "two servers" in line) for line in (one.limits[-1], two.limits[-1])] == [
        (True, False),
        (False, True),
    ]


def side(finding, name):
    return next(each for each in finding.overall if each.side == name)


def test_plan_without_further_keys_runs_on_its_defaults():
    spec = parse_plan(PLAN)
    assert [setting.label for setting in spec.settings] == ["direct", "via the I/O domain", "confined at 1:1"]
    assert [(load.kind, load.users) for load in spec.loads] == [("tpch", 1)]
    assert spec.protocol.name == "paired"
    assert parse_plan(write_plan(spec)) == spec


@pytest.mark.parametrize("setting", [SideSetting(True), SideSetting(False), SideSetting(False, parse_split("2:5"))])
def test_side_setting_reaches_the_database_as_it_reports(setting):
    assert has_direct_route(setting) == setting.base


def test_base_is_never_confined():
    with pytest.raises(SpecError, match="without limits"):
        SideSetting(base=True, split=parse_split("1:1"))


@pytest.mark.parametrize("protocol", ["adaptive", "grid", "strict"])
def test_protocol_that_does_not_take_turns_is_refused(protocol):
    with pytest.raises(SpecError, match="does not suit the study 'overhead'"):
        parse_plan(PLAN + f'protocol = "{protocol}"\n')


def test_each_block_measures_every_side_once_in_an_order_of_its_own():
    made = carried_out(parse_plan(PLAN + "repeats = 8\n"), lambda _: 100.0)
    orders = [tuple(done.setting.label for done in made if done.block == block) for block in range(8)]
    assert all(len(set(order)) == 3 for order in orders)
    assert len(set(orders)) > 1


def test_slowdown_is_found_with_its_interval_and_its_cause():
    finding = found(lambda label, item: 1.25 if label.startswith("confined") and item != "Q1" else 1.0)
    confined, through = side(finding, "confined at 1:1"), side(finding, "via the I/O domain")
    assert confined.slowdown_frac == pytest.approx(1.25 ** (11 / 12) - 1, abs=0.02)
    assert confined.slowdown.differs_from()
    assert abs(through.slowdown_frac) < 0.02
    assert re.search(r"confined at 1:1 is 2[123] % slower", finding.headline)
    known = [each for each in finding.causes if each.side == confined.side and each.added_frac is not None]
    parts = {each.counter: each.added_frac for each in known}
    assert parts["system CPU"] == pytest.approx(0.25, abs=0.03)
    assert sum(parts.values()) == pytest.approx(finding.totals[1].slowdown_frac, abs=0.02)
    correlated = {each.counter: each for each in finding.causes if each.side == confined.side and each.correlation}
    assert correlated["system CPU"].correlation_ci[0] > 0


def test_what_noise_hides_is_called_so():
    finding = found(lambda *_: 1.0, blocks=4, noise=0.05)
    assert "is within noise" in finding.headline
    below = [item for item in finding.items if not item.slowdown.differs_from()]
    assert len(below) >= 0.7 * len(finding.items)
    assert any("below noise" in reason for reason in finding.reasons)


def test_one_block_has_no_interval():
    finding = found(lambda *_: 1.1, blocks=1)
    assert all(each.ci95_frac is None for each in (*finding.overall, *finding.items))
    assert "too few blocks for an interval" in finding.headline


def test_no_answer_is_made_of_nothing():
    finding = finding_of((), (), parse_plan(PLAN))
    assert finding.headline == "No answer: no block has both the base and another side."
    assert (finding.overall, finding.items, finding.causes, finding.reasons) == ((), (), (), ())

"""Laws of what a person hears of a split before the sweep starts."""

import pytest

from scheduler.commands.dry_run import _list_findings
from scheduler.errors import HostNotUsable, SpecError
from scheduler.model.host_properties import Severity
from scheduler.model.spec import Mode
from scheduler.studies.study_meeting import Meeting, check_splits
from tests.data_maker import make_facts, make_spec


def test_low_share_of_the_io_domain_is_a_finding_before_the_sweep(home):
    facts, spec = make_facts(scheduler="credit2"), make_spec(splits=("1:1", "1:10"))
    findings = _list_findings(Meeting(spec, facts, split_warnings=check_splits(spec, facts)))
    [low] = [finding for finding in findings if "less than 10 %" in finding.text]
    assert low.level is Severity.WARNING
    assert "starting the sweep is consent" in low.hint
    assert not any("less than 10 %" in text for text in check_splits(make_spec(splits=("1:2",)), facts))


@pytest.mark.parametrize(
    ("scheduler", "mode", "splits", "words"),
    [
        ("rtds", Mode.WEIGHTS, ("1:1",), "no weights"),
        ("credit", Mode.CAPS, ("1:1", "1:40"), "1:40 gives the I/O domain"),
        ("sedf", Mode.CAPS, ("1:1", "1:10"), "1:10 becomes"),
    ],
)
def test_what_cannot_be_set_stops_the_sweep_before_the_host_is_touched(scheduler, mode, splits, words):
    with pytest.raises(SpecError, match=words):
        check_splits(make_spec(splits=splits, mode=mode), make_facts(scheduler=scheduler))


def test_scheduler_without_parameters_stops_the_sweep():
    with pytest.raises(HostNotUsable, match="'null'"):
        check_splits(make_spec(), make_facts(scheduler="null"))


def test_dry_run_of_refused_cold_load_shows_estimate_and_refusal(call, plan):
    done = call("run", plan(load='[[load]]\nkind = "tpch"\nusers = 1\ncold = true'), "--dry-run", "--json")
    assert done.code != 0
    assert "has no memory to forget" in done.json["error"]
    assert done.json["hint"]
    assert done.json["trials"] > 0

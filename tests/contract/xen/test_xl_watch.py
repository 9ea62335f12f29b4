"""Watching a Xen host asks its toolstack and tells it nothing; the programs are doubles, everything else is real."""

from pathlib import Path

import pytest

from scheduler.errors import HostNotUsable
from scheduler.model.scheduler_params import Credit2Params
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST
from tests.contract.watching import watched


def set_caps(double, io_pct, guest_pct):
    with double.changing() as state:
        for domain, cap_pct in zip(state["domains"], (io_pct, guest_pct), strict=True):
            domain["cap"] = cap_pct


def was_told(double):
    """Return whether the toolstack was told to change anything; the double leaves a file then."""
    return Path(f"{double.path}.changing").exists()


def test_watching_a_xen_host_reports_its_toolstack_nothing(double):
    set_caps(double, 32, 64)
    before = double.parameters()
    seen = watched("xl:")
    assert not was_told(double)
    assert double.parameters() == before
    assert (seen.standing.mode, seen.windows, seen.dropped, seen.ended) == (Mode.CAPS, 6, {}, "")
    assert seen.standing.allowed.io_cpus == pytest.approx(0.32)


def test_one_capped_domain_is_refused_with_both(double):
    set_caps(double, 32, 0)
    with pytest.raises(HostNotUsable, match=r"cap 32 % of one CPU.*cap none"):
        watched("xl:")
    assert not was_told(double)


def test_double_notices_who_changes_it(double, host):
    host.write(GUEST, Credit2Params(256, 50))
    assert was_told(double)

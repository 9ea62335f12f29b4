"""Monitoring a Xen host with many guests costs no more commands than one with two domains."""

import threading
import time
from contextlib import closing

import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.split import GUEST, IO
from tests.xen_double.looking import MOST_S
from tests.xen_double.state import domain


@pytest.fixture
def crowded(double):
    with double.changing() as state:
        state["domains"] += [domain(10 + n, f"web{n:02d}", f"0b9f6b1c-0000-4000-8000-{n:012d}") for n in range(98)]
    return double


def test_counters_of_a_host_with_100_domains_cost_no_further_command(crowded):
    with closing(open_host("xl:", lambda *_: None, "", "rt guest", "")) as host:
        host.facts()
        first = host.usage()
        calls = crowded.load()["calls"]
        deadline_s = time.monotonic() + MOST_S
        while (after := host.usage())[GUEST].user_s <= first[GUEST].user_s:
            assert time.monotonic() < deadline_s
            threading.Event().wait(0.05)
        assert set(after) == {IO, GUEST}
        assert crowded.load()["calls"] == calls


def test_choice_among_99_guests_lists_the_first_and_counts_the_others(crowded):
    with (
        closing(open_host("xl:", lambda *_: None, "", "", "")) as host,
        pytest.raises(HostNotUsable, match=r"99 guests run there: 'rt guest', .* and 87 more$") as refused,
    ):
        host.facts()
    assert len(refused.value.choices) == 99

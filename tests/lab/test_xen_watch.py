"""Watching the Xen lab while its guest's database is used, from both ends of the splits."""

import contextlib
import time

import pytest

from scheduler import places
from scheduler.commands.pending_restores import reopen_recorded_host
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.spec import Mode
from scheduler.model.split import parse_split
from scheduler.run.lease import HostLease
from scheduler.shares.model_lookup import share_model_for_host
from tests.contract.host_contract import PERIOD_US
from tests.lab.busy import ready
from tests.lab.guard_lab import DOM0_ALIAS
from tests.lab.watched import Watching, named, ratio

HOST = f"xl+ssh://{DOM0_ALIAS}"
IO_END, GUEST_END = "5:1", "1:3"
USERS = 5

pytestmark = [pytest.mark.lab, pytest.mark.timeout(1_800)]


@contextlib.contextmanager
def begun():
    with Watching(HOST) as watching:
        watching.begun()
        yield watching


def test_watching_names_a_split_between_the_ends_from_either_of_them_and_writes_nothing(xen_known):
    lab, dom0 = xen_known
    found, answers = dom0.values(), {}
    host = open_host(HOST, ignore_command)
    try:
        facts = host.facts()
        model = share_model_for_host(facts)
        ends = (IO_END, GUEST_END)
        settings = {end: model.encode(parse_split(end), Mode.CAPS, PERIOD_US).params for end in ends}
        host.boot()
        lease = HostLease(host, places.journal_dir(), facts.host_id, HOST, reopen_recorded_host)
        # The users end first: under the other end's cap, beside them, Dom0 does not even take its own cap away in time.
        with lease, ready(lab["database_url"], users=USERS) as start:
            lease.apply(settings[IO_END])
            before = dom0.values()
            # One after the other, and before the users: to log in to a busy emulated Dom0 takes too long, and where it
            # has a quarter of the CPU hardly. So whoever watches the other end is there before, too.
            with begun() as second, begun() as first:
                start()
                answers[IO_END] = first.answer(time.monotonic())
                assert dom0.values() == before
                lease.apply(settings[GUEST_END])
                answers[GUEST_END] = second.answer(changed=True)
    finally:
        host.close()
    assert dom0.values() == found
    assert not list(places.journal_dir().glob("*.json"))
    for end, answer in answers.items():
        assert (answer.present, answer.mode, answer.simulated) == (end, "caps", False)
        assert ratio(GUEST_END) < named(answer) < ratio(IO_END)
        assert (answer.gain_frac or 0.0) > 0

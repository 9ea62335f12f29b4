"""Commands on a host whose domains a sweep confines: run, its dry run, apply and revert."""

import msgspec
import pytest

from scheduler import places
from scheduler.commands.host_changes import list_changes
from scheduler.errors import ParameterRefused
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import UndoJournal

SLOTS = (IO, GUEST, *(PLACE_SLOTS[domain] for domain in (IO, GUEST)))
IO_PLACE, GUEST_PLACE = SLOTS[2:]
FLOATING = PlacementParams(((), ()))


@pytest.fixture
def url(home) -> str:
    return f"fake:{home / 'host.json'}?cpus=4"


@pytest.fixture
def dedicated(plan, url) -> str:
    return plan(host=f'host = "{url}"', splits='mode = "dedicated"\nsplits = ["1:3", "3:1"]')


@pytest.fixture
def run_id(call, dedicated) -> str:
    return call("run", dedicated, "--json", "--quiet").json["run_id"]


@pytest.fixture
def host(home) -> FakeHost:
    """The host past every fault."""
    return FakeHost(home / "host.json", InjectedFaults(), lambda *_: None)


def state_of(host: FakeHost) -> dict:
    return {slot: host.read(slot) for slot in SLOTS}


def test_run_without_a_terminal_needs_no_consent_and_names_the_placement(call, dedicated):
    said = call("run", dedicated)
    assert said.code == 0
    assert "Domain-0 and db1 run on CPUs of their own among CPU 0-3 (now Domain-0 on" in " ".join(said.err.split())


def test_dry_run_lists_each_placement_command_of_each_setting_and_of_the_restore(call, dedicated, home):
    rows = {row["setting"]: row["commands"] for row in call("run", dedicated, "--dry-run", "--json").json["commands"]}
    for setting, io, guest in (
        ("1:3", "CPU 0", "CPU 1-3"),
        ("3:1", "CPU 0-2", "CPU 3"),
        ("baseline", "any CPU", "any CPU"),
        ("restore", "any CPU", "any CPU"),
    ):
        assert {f"fake place io-place: vCPUs on {io}", f"fake place guest-place: vCPUs on {guest}"} <= {*rows[setting]}
    assert not list((home / "state").glob("journal/*.json"))


def test_apply_lists_sets_and_verifies_placement_and_revert_restores_it(call, run_id, url, host):
    found = state_of(host)
    would = call("apply", run_id, "--split", "1:3", "--dry-run", "--json").json
    rows = {(row["domain"], row["parameter"]): (row["before"], row["after"]) for row in would["changes"]}
    assert rows[IO, "vCPUs"] == ("any CPU", "CPU 0")
    assert rows[GUEST, "vCPUs"] == ("any CPU", "CPU 1-3")
    assert would["commands"][:2] == [
        f"fake place {GUEST_PLACE}: vCPUs on CPU 1-3",
        f"fake place {IO_PLACE}: vCPUs on CPU 0",
    ]
    assert state_of(host) == found
    did = call("apply", run_id, "--split", "1:3", "--json").json
    assert did["commands"] == would["commands"]
    assert [row["read_back"] for row in did["changes"]] == [row["after"] for row in did["changes"]]
    assert host.read(IO_PLACE) == FLOATING.confined_to((0,))
    assert host.read(GUEST_PLACE) == FLOATING.confined_to((1, 2, 3))
    assert "io-place" in call("revert", "--list").out
    undone = call("revert", url, "--json").json
    assert {row["parameter"] for row in undone["changes"]} >= {"vCPUs", "weight"}
    assert state_of(host) == found


def test_apply_records_originals_before_each_placement_and_restores_after_a_refusal(call, run_id, host, monkeypatch):
    found, seen = state_of(host), []
    write = FakeHost.write

    def refused(self, slot, params):
        record = UndoJournal(places.applied_dir(), self.facts().host_id).read()
        seen.append((slot, record.originals == found, params in record.ours.get(slot, ())))
        if len(seen) == 2:
            raise ParameterRefused("this vCPU refuses the pin")
        write(self, slot, params)

    monkeypatch.setattr(FakeHost, "write", refused)
    said = call("apply", run_id, "--split", "3:1")
    assert said.code == 1
    assert "this vCPU refuses the pin" in said.err
    assert seen[:2] == [(GUEST_PLACE, True, True), (IO_PLACE, True, True)]
    assert state_of(host) == found
    assert not list(places.applied_dir().glob("*.json"))


def test_second_apply_moves_the_placement_and_revert_restores_the_first_originals(call, run_id, url, host):
    found = state_of(host)
    assert call("apply", run_id, "--split", "1:3").code == 0
    assert call("apply", run_id, "--split", "3:1").code == 0
    assert host.read(IO_PLACE) == FLOATING.confined_to((0, 1, 2))
    assert call("revert", url).code == 0
    assert state_of(host) == found


def test_revert_refuses_a_placement_that_another_program_set(call, run_id, url, host):
    assert call("apply", run_id, "--split", "1:3").code == 0
    host.write(GUEST_PLACE, FLOATING.confined_to((2,)))
    said = call("revert", url)
    assert said.code != 0
    assert "guest-place reads vCPUs on CPU 2, but 'domtune apply' set vCPUs on CPU 1-3" in said.err
    assert host.read(GUEST_PLACE) == FLOATING.confined_to((2,))


def test_apply_refuses_cpus_that_are_not_open_now(call, run_id, home, monkeypatch):
    facts = FakeHost.facts
    fewer = lambda self: msgspec.structs.replace(  # noqa: E731
        facts(self), placement=msgspec.structs.replace(facts(self).placement, choices=(0, 1, 2))
    )
    monkeypatch.setattr(FakeHost, "facts", fewer)
    said = call("apply", run_id, "--split", "1:3")
    assert said.code == 2
    assert "CPU 3 is not open to them now" in said.err


def test_changes_name_vcpus_with_equal_values_in_one_row():
    before = {IO_PLACE: PlacementParams(((0, 1), (0, 1), (2,), (0, 1)))}
    after = {IO_PLACE: PlacementParams(((0,),) * 4, emulator=(0,))}
    rows = {row.parameter: (row.before, row.after) for row in list_changes(before, after, {})}
    assert rows == {
        "vCPU 0-1, 3": ("CPU 0-1", "CPU 0"),
        "vCPU 2": ("CPU 2", "CPU 0"),
        "emulator": ("not there", "CPU 0"),
    }

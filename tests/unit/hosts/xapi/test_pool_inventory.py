"""Which domains of a pool are swept, and what is refused."""

import xmlrpc.client

import pytest

from scheduler.errors import DomainGone, HostNotUsable, SpecError
from scheduler.hosts.xapi.pool_inventory import SweptPair, choose_pair, read_inventory
from scheduler.hosts.xapi.xapi_records import parse_moment
from tests.xapi_double.pool import DOM0_UUID, GUEST_UUID, NULL, Fault

PAIR = SweptPair("OpaqueRef:h1", "OpaqueRef:d1", "OpaqueRef:v1")


@pytest.fixture
def world(line):
    return lambda: read_inventory(line)


def add_second_host(pool):
    pool.add_host("OpaqueRef:h2", address="127.0.0.2")
    pool.add_vm("OpaqueRef:d2", "Control domain on host: xcp2", domid="0", is_control_domain=True,
                uuid=DOM0_UUID[:-1] + "2", resident_on="OpaqueRef:h2")  # fmt: skip


def test_dom0_and_the_only_running_guest_are_found(world):
    assert choose_pair(world(), "127.0.0.1", "", "") == PAIR


def test_templates_and_snapshots_are_no_machines(world):
    assert set(world().vms) == {"OpaqueRef:d1", "OpaqueRef:v1", "OpaqueRef:v2"}


@pytest.mark.parametrize("io", ["", "0", "Domain-0", "Dom0", DOM0_UUID, "Control domain on host: xcp1"])
@pytest.mark.parametrize("guest", ["", "db1", GUEST_UUID])
def test_domains_may_be_named_by_name_or_uuid(world, io, guest):
    assert choose_pair(world(), "127.0.0.1", io, guest) == PAIR


def test_dom0_is_distinguished_from_driver_domains_by_the_host(pool, world):
    driver = {"is_control_domain": True, "uuid": DOM0_UUID[:-1] + "9", "domid": "5"}
    pool.vms = {"OpaqueRef:d0": {**pool.vms["OpaqueRef:d1"], **driver, "name_label": "storage driver"}, **pool.vms}
    assert choose_pair(world(), "127.0.0.1", "", "").io == "OpaqueRef:d1"
    assert choose_pair(world(), "127.0.0.1", "storage driver", "").io == "OpaqueRef:d0"
    pool.hosts["OpaqueRef:h1"]["control_domain"] = NULL  # as versions before 'ely' answer
    assert choose_pair(world(), "127.0.0.1", "", "").io == "OpaqueRef:d1"


def test_host_is_the_one_that_the_guest_runs_on(pool, world):
    add_second_host(pool)
    pool.vms["OpaqueRef:v1"]["resident_on"] = "OpaqueRef:h2"
    assert choose_pair(world(), "127.0.0.1", "", "db1") == SweptPair("OpaqueRef:h2", "OpaqueRef:d2", "OpaqueRef:v1")
    assert choose_pair(world(), "xcp2", "", "").host == "OpaqueRef:h2"
    with pytest.raises(HostNotUsable, match="no virtual machine runs on 'xcp1'"):
        choose_pair(world(), "127.0.0.1", "", "")
    with pytest.raises(SpecError, match="calls none of them 'pool'") as caught:
        choose_pair(world(), "pool", "", "")
    assert caught.value.choices == ("db1",)


def test_io_domain_on_another_host_is_refused(pool, world):
    add_second_host(pool)
    with pytest.raises(SpecError, match="another host"):
        choose_pair(world(), "127.0.0.1", "Control domain on host: xcp2", "db1")


def test_choice_is_not_made_for_the_user(pool, world):
    pool.add_vm("OpaqueRef:v3", "a b;$(touch x)'\"", uuid=GUEST_UUID[:-1] + "7", domid="9")
    with pytest.raises(SpecError, match="2 virtual machines run on 'xcp1'") as caught:
        choose_pair(world(), "127.0.0.1", "", "")
    assert "db1" in caught.value.hint
    assert caught.value.choices == ("a b;$(touch x)'\"", "db1")
    assert choose_pair(world(), "127.0.0.1", "", "a b;$(touch x)'\"").guest == "OpaqueRef:v3"


def test_equal_names_are_distinguished_by_uuid(pool, world):
    pool.add_vm("OpaqueRef:v3", "db1", uuid=GUEST_UUID[:-1] + "7", domid="9")
    with pytest.raises(SpecError, match="2 virtual machines are called 'db1'") as caught:
        choose_pair(world(), "127.0.0.1", "", "db1")
    assert GUEST_UUID in caught.value.hint
    assert GUEST_UUID in caught.value.choices
    assert choose_pair(world(), "127.0.0.1", "", GUEST_UUID).guest == "OpaqueRef:v1"


def test_name_means_the_machine_that_runs_and_not_its_halted_copy(pool, world):
    pool.add_vm("OpaqueRef:v3", "db1", uuid=GUEST_UUID[:-1] + "7", domid="-1", power_state="Halted", resident_on=NULL)
    assert choose_pair(world(), "127.0.0.1", "", "db1") == PAIR
    pool.alter("OpaqueRef:v1", power_state="Halted", domid="-1", resident_on=NULL)
    with pytest.raises(SpecError, match="2 virtual machines are called 'db1'") as caught:
        choose_pair(world(), "127.0.0.1", "", "db1")
    assert f"{GUEST_UUID} (halted)" in caught.value.hint


def test_running_machines_of_one_name_are_named_by_uuid_with_their_state(pool, world):
    twin = GUEST_UUID[:-1] + "7"
    pool.add_vm("OpaqueRef:v3", "db1", uuid=twin, domid="9")
    with pytest.raises(SpecError) as caught:
        choose_pair(world(), "127.0.0.1", "", "db1")
    assert f"{twin} (running on xcp1)" in caught.value.hint
    with pytest.raises(SpecError, match="2 virtual machines run on 'xcp1'") as caught:
        choose_pair(world(), "127.0.0.1", "", "")
    assert set(caught.value.choices) == {GUEST_UUID, twin}


@pytest.mark.parametrize(
    ("io", "guest", "says"),
    [
        ("", "nobody", "there is no virtual machine 'nobody'"),
        ("", "idle", "'idle' is halted"),
        ("", "Debian 12", "there is no virtual machine 'Debian 12'"),
        ("db1", "db1", "is the guest"),
    ],
)
def test_name_that_cannot_be_swept_is_refused(world, io, guest, says):
    with pytest.raises(SpecError, match=says):
        choose_pair(world(), "127.0.0.1", io, guest)


def test_host_without_guests_cannot_be_swept(pool, world):
    pool.alter("OpaqueRef:v1", power_state="Halted", domid="-1", resident_on=NULL)
    with pytest.raises(HostNotUsable, match="no virtual machine runs on 'xcp1'"):
        choose_pair(world(), "127.0.0.1", "", "")


@pytest.mark.parametrize("method", ["pool.get_all_records", "host.get_all_records", "VM.get_all_records"])
@pytest.mark.parametrize("value", ["text", {"OpaqueRef:x": "text"}, {"OpaqueRef:x": {}}])
def test_records_of_another_shape_are_an_error_of_ours(pool, world, method, value):
    answer = xmlrpc.client.dumps(({"Status": "Success", "Value": value},), methodresponse=True)
    pool.fail_at(method, Fault("body", body=answer.encode()))
    with pytest.raises(HostNotUsable):
        world()


def test_vanished_machine_is_gone(line):
    with pytest.raises(DomainGone):
        line.call("looking", "VM.get_record", "OpaqueRef:nobody")


@pytest.mark.parametrize("text", ["19700101T00:00:00Z", "", "soon", "20261341T00:00:00Z"])
def test_no_moment_is_none(text):
    assert parse_moment(text) is None


def test_moments_are_read_in_both_ways_of_writing():
    assert parse_moment("20261121T19:00:00Z") == parse_moment("2026-11-21T19:00:00Z")
    assert parse_moment("20261121T19:00:00Z").hour == 19

"""`domtune persist`: what XAPI keeps for the guest's next life, its honest label, and the way back."""

import json

import pytest

from scheduler import places
from scheduler.hosts.xapi.next_boot import LABEL
from scheduler.store.run_store import RunStore
from tests.data_maker import make_documents, make_facts
from tests.xapi_double.fixtures import until
from tests.xapi_double.pool import Fault

VM = "OpaqueRef:v1"
BEFORE = {"mask": "0", "weight": "300"}


@pytest.fixture
def run(url, pool):
    """A finished run on the doubled host; returns its id."""
    pool.vms[VM]["VCPUs_params"] = dict(BEFORE)
    documents = make_documents(host_url=url, samples=False, repeats=1, facts=make_facts(url, scheduler="credit"))
    with RunStore(places.store_path()) as store:
        for document in documents:
            store.append(documents[0].run_id, document)
    return documents[0].run_id


def kept(pool):
    return pool.vms[VM]["VCPUs_params"]


def test_split_is_kept_with_its_label_and_reverted(call, run, pool, dom0):
    live = dom0.parameters()
    code, out, err = call("persist", run, "--split", "1:2", "--dry-run")
    assert code == 0, err
    assert LABEL in out
    assert kept(pool) == BEFORE

    code, out, _ = call("persist", run, "--split", "1:2", "--json")
    answer = json.loads(out)
    assert (code, answer["done"], answer["split"]) == (0, True, "1:2")
    assert LABEL in answer["hint"]
    assert "Dom0's own parameters are not kept" in answer["hint"]
    assert answer["commands"][0].startswith("xe vm-param-set uuid=")
    first = dict(kept(pool))
    assert first["mask"] == "0"
    assert first["weight"] != "300"

    call("persist", run, "--split", "1:1")
    assert kept(pool) != first
    pool.alter(VM, power_state="Halted", domid="-1")  # the way back is open whether it runs or not
    assert call("persist", run, "--undo")[0] == 0
    assert kept(pool) == BEFORE
    assert dom0.parameters() == live
    until(lambda: pool.sessions == {})

    code, _, err = call("persist", run, "--undo")
    assert code == 2
    assert "0 records" in err


def test_what_was_kept_before_is_on_disk_before_the_first_write(call, run, pool):
    pool.fail_at("VM.set_VCPUs_params", *[Fault("cut")] * 9)
    code, _, err = call("persist", run, "--split", "1:2")
    assert code != 0
    assert "broke" in err
    [record] = (places.state_dir() / "kept").glob("*.json")
    assert json.loads(json.loads(record.read_text())["undo"]["context"]["before"]) == BEFORE
    pool.faults.clear()
    assert call("persist", run, "--undo")[0] == 0
    assert kept(pool) == BEFORE


def test_undo_with_dry_run_shows_the_change_and_writes_nothing(call, run, pool):
    assert call("persist", run, "--split", "1:2")[0] == 0
    after = dict(kept(pool))
    folder = places.state_dir() / "kept"
    records = {path: path.read_bytes() for path in folder.glob("*.json")}
    code, out, _ = call("persist", run, "--undo", "--dry-run")
    assert code == 0
    assert f"guest weight: {after['weight']} -> 300" in out
    assert "nothing was written" in out
    code, _, err = call("persist", run, "--undo", "--dry-run", "--split", "1:1")
    assert code == 2
    assert "takes no split" in err
    assert kept(pool) == after
    assert {path: path.read_bytes() for path in folder.glob("*.json")} == records
    code, out, _ = call("persist", run, "--undo")
    assert (code, out.splitlines()[-1]) == (0, "done")
    assert kept(pool) == BEFORE


def test_only_xapi_keeps_anything(home, call):
    documents = make_documents(host_url="local:", samples=False, repeats=1)
    with RunStore(places.store_path()) as store:
        for document in documents:
            store.append(documents[0].run_id, document)
    code, _, err = call("persist", "last", "--split", "1:1")
    assert code == 2
    assert "only XAPI keeps parameters" in err
    assert "export" in err

"""`domtune apply HOST --split a:b`: what is set there is divided anew, kept, and taken back like any applied split."""

import json

import pytest

from scheduler import places
from scheduler.run.journal import HostLock

CAPS = {"dialect": "cgroup", "weight": 100, "period_us": 100_000}


@pytest.fixture
def url(home) -> str:
    return f"fake:{home / 'host.json'}"


def put(home, io: dict, guest: dict) -> dict:
    found = {"io": {**CAPS, **io}, "guest": {**CAPS, **guest}}
    (home / "host.json").write_text(json.dumps(found))
    return found


def host_of(home) -> dict:
    return json.loads((home / "host.json").read_text())


def test_limits_are_divided_again_and_their_sum_stays(call, home, url):
    found = put(home, {"quota_us": 20_000}, {"quota_us": 40_000})
    done = call("apply", url, "--split", "2:1", "--json")
    assert (done.code, done.json["done"], done.json["split"]) == (0, True, "2:1")
    assert "Not measured on this host" in done.json["remark"]
    now = host_of(home)
    assert (now["io"]["quota_us"], now["guest"]["quota_us"]) == (40_000, 20_000)
    assert call("revert", url).code == 0
    assert host_of(home) == found


def test_weights_are_divided_again_where_nothing_is_limited(call, home, url):
    put(home, {"weight": 100, "quota_us": None}, {"weight": 200, "quota_us": None})
    assert call("apply", url, "--split", "1:1").code == 0
    now = host_of(home)
    assert (now["io"]["weight"], now["guest"]["weight"]) == (150, 150)
    assert (now["io"]["quota_us"], now["guest"]["quota_us"]) == (None, None)


def test_dry_run_reports_the_same_and_writes_nothing(call, home, url):
    found = put(home, {"quota_us": 20_000}, {"quota_us": 40_000})
    dry = call("apply", url, "--split", "2:1", "--dry-run", "--json").json
    assert host_of(home) == found
    wet = call("apply", url, "--split", "2:1", "--json").json
    assert [(row["before"], row["after"]) for row in dry["changes"]] == [
        (row["before"], row["after"]) for row in wet["changes"]
    ]


@pytest.mark.parametrize(
    ("io", "guest", "said"),
    [
        ({"quota_us": 20_000}, {"quota_us": None}, "only one is limited"),
        ({"quota_us": 90_000}, {"quota_us": 90_000}, "sets no split"),
    ],
)
def test_what_is_no_split_is_refused_and_stays(call, home, url, io, guest, said):
    found = put(home, io, guest)
    done = call("apply", url, "--split", "1:2")
    assert done.code != 0
    assert said in done.err
    assert host_of(home) == found


def test_host_without_a_split_to_set_and_a_simulated_one_are_refused(call, url):
    assert "is needed with a host" in call("apply", url).err
    assert "simulated" in call("apply", "sim:?load=osdb-ir", "--split", "1:2").err


def test_host_that_a_sweep_holds_is_left_alone(call, home, url):
    found = put(home, {"quota_us": 20_000}, {"quota_us": 40_000})
    host_id = call("probe", url, "--json").json["facts"]["host_id"]
    with HostLock(places.journal_dir(), host_id):
        assert call("apply", url, "--split", "2:1").code != 0
    assert host_of(home) == found


def test_apply_on_one_limited_domain_does_not_advise_itself(call, home, url):
    put(home, {"quota_us": 20_000}, {"quota_us": None})
    refused = call("apply", url, "--split", "2:1")
    assert refused.code != 0
    assert "which is no split" in refused.err
    assert "Limit both domains or none" in refused.err
    assert "rollback.sh" in refused.err
    assert "Set a split first" not in refused.err

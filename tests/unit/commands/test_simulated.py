"""A whole sweep of a simulated machine: fast, marked everywhere, and refused in time when it cannot be answered."""

import csv
import io
import json
import re
import time

import msgspec
import pytest

from scheduler import places
from scheduler.commands.sweep_progress import SweepProgress
from scheduler.model.documents import HostCommand, LoadSample, RunStarted, TrialStarted
from scheduler.store.run_store import RunStore
from tests.settings import json_label
from tests.volume import deep

PAIR = 'splits = ["1:1", "1:2"]'
BOTH = '[[load]]\nkind = "osdb-ir"\n[[load]]\nkind = "osdb-oltp"'
MINUTES = 'protocol = "grid"\nrepeats = 2\nmeasure_s = 60\nsettle_s = 6\nload_settle_s = 45'
SURFACE = {
    "schema": "domtune-machine/1",
    "kind": "surface",
    "splits": ["1:1", "1:2", "2:1"],
    "loads": {"osdb-ir": [1.0, 0.7, 0.5], "osdb-oltp": [0.5, 1.0, 0.4]},
    "scale_tps": {"osdb-ir": 400, "osdb-oltp": 200},
    "noise": "lab",
}


@pytest.fixture
def surface(home):
    def surface(**changes):
        path = home / "machine.json"
        path.write_text(json.dumps({**SURFACE, **changes}))
        return f'host = "sim:{path}"'

    return surface


def test_sweep_of_minutes_ends_in_seconds_and_leaves_nothing(call, plan, home):
    began_s = time.monotonic()
    answer = call("run", plan(host='host = "sim:"', splits=PAIR, windows=MINUTES, load=BOTH), "--json", "--quiet")
    assert answer.code == 0
    assert answer.json["measured_s"] > 12 * 60
    assert time.monotonic() - began_s < 60
    assert (answer.json["outcome"], answer.json["restored"], answer.json["simulated"]) == ("completed", True, True)
    assert not list((home / "state" / "journal").glob("*.json"))


def test_everything_that_comes_out_reports_simulated(call, plan, home):
    done = call("run", plan(host='host = "sim:"', splits=PAIR, load=BOTH), "--quiet")
    assert done.out.startswith("SIMULATED")
    assert "(simulated)" in done.out
    assert call("probe", "sim:", "--json").json["facts"]["title"].startswith("Simulated")
    assert "; 1 CPU, shared: 0; " in call("probe", "sim:").out
    for kind in ("csv", "json", "html", "plan", "machine"):
        target = home / f"export-{kind}"
        assert call("export", "last", "--to", kind, "--out", str(target)).code == 0
        (written, *_) = home.glob(f"export-{kind}*")
        assert "simulated" in written.read_text(encoding="utf-8").lower()
    (table, *_) = home.glob("export-csv*")
    assert {row["simulated"] for row in csv.DictReader(io.StringIO(table.read_text()))} == {"true"}
    refused = call("export", "last", "--to", "bundle", "--out", str(home / "bundle"))
    assert refused.code == 2
    assert "simulated" in refused.err


def test_its_database_is_started_again_where_the_plan_asks_so(call, plan, home):
    windows = 'protocol = "adaptive"\nlimit_min = 30\nrestart_settle_s = 45'
    done = call("run", plan(host='host = "sim:?noise=epoch"', splits=PAIR, windows=windows, load=BOTH), "--json")
    assert done.code == 0
    with RunStore(places.store_path(), read_only=True) as store:
        documents = list(store.documents(store.runs()[0].run_id))
    begun = [document for document in documents if isinstance(document, TrialStarted)]
    blocks = {trial.block for trial in begun}
    made_again = [
        each for each in documents if isinstance(each, HostCommand) and "database is restarted" in each.command
    ]
    assert len(made_again) == len(blocks) - 1 > 0
    assert sum(trial.settle_s == 45 for trial in begun) == 1 + len(made_again)  # the run's first trial settles as long
    assert any("valid across restarts" in text for text in done.json["answer"]["limits"])


def test_no_minutes_of_a_simulated_machine_pass_for_measured_ones(call, plan):
    path = plan(host='host = "sim:"', splits=PAIR)
    done, dry = call("run", path), call("run", path, "--dry-run")
    lines = [line for said in (done.err, done.out, dry.out) for line in said.splitlines()]
    reported = [line for line in lines if re.search(r"^(simulated: )?\d+ trials|simulated for|measured for", line)]
    assert len(reported) == 3  # before, after, and without doing it
    assert all(line.startswith("simulated") for line in reported)
    assert not re.search(r"measured for", done.out + done.err)
    assert re.search(r"^simulated for \d+ s; the original settings are", done.out, re.MULTILINE)


def test_rate_of_a_simulated_machine_is_marked_while_it_runs(call, plan, home, capsys):
    call("run", plan(host='host = "sim:"', splits=PAIR), "--quiet")
    with RunStore(places.store_path(), read_only=True) as store:
        documents = list(store.documents(store.runs()[0].run_id))
    sample = next(document for document in documents if isinstance(document, LoadSample))
    with SweepProgress(quiet=False) as progress:
        for document in (*(one for one in documents if isinstance(one, RunStarted | TrialStarted)), sample):
            progress.take(document)
    [line] = [line for line in capsys.readouterr().err.splitlines() if "tuples/s" in line]
    assert "simulated: " in line


def test_simulated_run_that_was_interrupted_is_listed_as_simulated(call, plan, home):
    call("run", plan(host='host = "sim:"', splits=PAIR), "--quiet")
    with RunStore(places.store_path()) as store:
        documents = store.documents(store.runs()[0].run_id)
        started = next(document for document in documents if isinstance(document, RunStarted))
        store.append("broken", msgspec.structs.replace(started, run_id="broken"))
    [line] = [line for line in call("runs").out.splitlines() if line.startswith("broken")]
    assert "(simulated)" in line


@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--split", "1:2"]])
def test_nothing_is_applied_to_a_machine_that_is_no_more(call, plan, more):
    call("run", plan(host='host = "sim:"', splits=PAIR), "--quiet")
    refused = call("apply", "last", *more)
    assert refused.code == 2
    assert "simulated" in refused.err


@pytest.mark.parametrize(
    ("mode", "scheduler"),
    [("weights", "credit2"), ("caps", "rtds")]  # the share models' tests hold each scheduler's numbers
    + ([("weights", "credit"), ("caps", "credit"), ("caps", "credit2"), ("caps", "sedf-xm")] if deep() else []),
)
def test_run_sweeps_simulated_xen_scheduler(call, plan, mode, scheduler):
    host = f'host = "sim:?scheduler={scheduler}"\nmode = "{mode}"'
    answer = call("run", plan(host=host, splits=PAIR), "--json", "--quiet")
    assert answer.code == 0
    assert all(point["mean_tps"] > 0 for point in answer.json["points"])


def test_machine_of_the_users_own_is_swept_at_its_rates(call, plan, surface):
    host, windows = (
        surface(noise="none"),
        'protocol = "grid"\nrepeats = 1\nmeasure_s = 10\nsettle_s = 1\nload_settle_s = 1',
    )
    answer = call("run", plan(host=host, splits=PAIR, load=BOTH, windows=windows), "--json", "--quiet")
    assert answer.code == 0
    rates = {(json_label(point), point["load"]): point["mean_tps"] for point in answer.json["points"]}
    assert rates["1:1", "osdb-ir"] == pytest.approx(400.0, abs=1)
    assert rates["1:2", "osdb-ir"] == pytest.approx(280.0, abs=1)
    assert rates["1:2", "osdb-oltp"] == pytest.approx(200.0, abs=1)


def test_exported_machine_can_be_swept_again(call, plan, home):
    call("run", plan(host='host = "sim:?noise=none"', splits=PAIR, load=BOTH), "--json", "--quiet")
    assert call("export", "last", "--to", "machine", "--out", str(home / "again")).code == 0
    answer = call("run", plan(host=f'host = "sim:{home / "again.json"}"', splits=PAIR, load=BOTH), "--json", "--quiet")
    assert answer.code == 0
    assert {json_label(point) for point in answer.json["points"]} == {"baseline", "1:1", "1:2"}


LACKING = {
    "split": ({}, 'splits = ["1:1", "1:5"]', "1:5"),
    "load": ({"loads": {"osdb-ir": [1.0, 0.7, 0.5]}, "scale_tps": {}}, PAIR, "osdb-oltp"),
}


@pytest.mark.parametrize("what", LACKING)
@pytest.mark.parametrize("how", ["--quiet", "--dry-run"])
def test_what_the_machine_lacks_is_refused_before_anything_starts(call, plan, surface, what, how):
    changes, splits, named = LACKING[what]
    done = call("run", plan(host=surface(**changes), splits=splits, load=BOTH), how)
    assert done.code == 2
    assert named in done.out + done.err


def test_wrong_file_is_refused_with_its_name(call, plan, surface):
    done = call("run", plan(host=surface(loads={"osdb-ir": [1.0, -0.7, 0.5]}), splits=PAIR))
    assert done.code == 2
    assert "machine.json" in done.err
    missing = call("run", plan(host='host = "sim:/nowhere/machine.json"', splits=PAIR))
    assert missing.code != 0
    assert "/nowhere/machine.json" in missing.err


def test_equal_seeds_give_equal_sweeps(call, plan):
    def points(seed):
        host = f'host = "sim:"\nseed = {seed}'
        answer = call("run", plan(host=host, splits=PAIR), "--json", "--quiet").json
        return [point["trial_tps"] for point in answer["points"]]

    first = points(1)
    assert first == points(1)
    assert first != points(2)


def test_split_that_starves_the_machine_is_left_out_and_reported_to_be_everywhere(call, plan, home):
    three = 'splits = ["1:1", "1:2", "1:10"]'
    starving = 'host = "sim:?unheld=1:10"'
    done = call("run", plan(host=starving, splits=three, windows=MINUTES, load=BOTH), "--json", "--quiet")
    assert done.code == 0
    assert (done.json["outcome"], done.json["restored"]) == ("completed", True)
    (point,) = [point for point in done.json["points"] if json_label(point) == "1:10"]  # not measured again
    assert (point["responsive"], point["valid"], point["mean_tps"]) == (False, False, None)
    said = point["reason"]
    assert said.startswith("became unresponsive: simulated: no heartbeat was answered for 1")
    assert all(point["responsive"] for point in done.json["points"] if json_label(point) != "1:10")
    assert json_label(done.json["answer"]) in ("1:1", "1:2")
    assert any(said in line for line in done.json["answer"]["limits"])
    assert any(said in line for line in done.json["notices"])
    for kind in ("csv", "html"):
        assert call("export", "last", "--to", kind, "--out", str(home / f"out-{kind}")).code == 0
        written = "".join(path.read_text(encoding="utf-8") for path in home.glob(f"out-{kind}*"))
        assert said in written
        assert f"no valid trial: {said}" not in written


def test_starving_split_must_be_one(call, plan):
    refused = call("run", plan(host='host = "sim:?unheld=often"', splits=PAIR, load=BOTH), "--json", "--quiet")
    assert refused.code != 0
    assert "'often'" in str(refused.json)

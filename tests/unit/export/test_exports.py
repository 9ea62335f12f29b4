import csv
import io
import json

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.export.csv_points import POINT_HEADER
from scheduler.export.exporters import list_exporters
from scheduler.model.codec import make_decoder
from scheduler.model.plan_file import read_plan_file
from scheduler.model.results import Results
from tests.decisions import ordering
from tests.settings import setting_at


def run(name, material, target):
    return list_exporters()[name].write(material.results, material.spec, material.facts, target, material.command_log)


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def test_csv_has_one_row_per_point_with_units_in_the_header(measured, tmp_path):
    points, trials = run("csv", measured, tmp_path / "out.csv")
    rows = rows_of(points)
    assert len(rows) == len(measured.results.points) == 20
    assert tuple(rows[0]) == POINT_HEADER
    first = measured.results.points[2]
    row = rows[2]
    assert float(row["mean (tuples/s)"]) == first.mean_tps
    assert float(row["95 % low (tuples/s)"]) == first.ci95_tps[0]
    assert float(row["I/O domain allotted (CPUs)"]) == first.allotted_share["io"]
    model = next(m for m in measured.results.model if m.load == first.load).points[0]
    assert (float(row["model (tuples/s)"]), row["model's bottleneck"]) == (model.predicted_tps, "io")
    assert rows[0]["model (tuples/s)"] == ""  # the host as found
    assert len(rows_of(trials)) == sum(point.trials for point in measured.results.points)
    assert trials.name == "out-trials.csv"


def test_point_without_a_valid_trial_has_empty_cells(material, tmp_path):
    points, _ = run("csv", material(failing=[("1:1", "osdb-ir")]), tmp_path / "out.csv")
    row = next(r for r in rows_of(points) if r["split (I/O domain:guest)"] == "1:1" and r["load"] == "osdb-ir")
    assert row["mean (tuples/s)"] == ""
    assert row["valid"] == "false"
    assert row["reason"]


def test_text_in_a_csv_is_never_a_formula(measured, tmp_path):
    point = msgspec.structs.replace(measured.results.points[2], reason="=HYPERLINK(1)", valid=False)
    spoilt = msgspec.structs.replace(measured, results=msgspec.structs.replace(measured.results, points=(point,)))
    points, _ = run("csv", spoilt, tmp_path / "out.csv")
    assert rows_of(points)[0]["reason"] == "'=HYPERLINK(1)"


def test_json_is_the_results(measured, tmp_path):
    (path,) = run("json", measured, tmp_path / "out.json")
    assert make_decoder(Results).decode(path.read_bytes()) == measured.results
    assert json.loads(path.read_text())["schema"] == "domtune-results/1"


def test_plan_runs_the_same_sweep_again(measured, tmp_path):
    (path,) = run("plan", measured, tmp_path / "again.toml")
    assert read_plan_file(path) == measured.spec


@pytest.mark.parametrize("name", ["csv", "json", "plan", "html"])
def test_everything_simulated_reports_it(name, simulated, measured, tmp_path):
    for path in run(name, simulated, tmp_path / "sim"):
        text = path.read_text(encoding="utf-8").lower()
        assert "simulated" in text
        if name == "csv":
            assert all(row["simulated"] == "true" for row in rows_of(path))
    if name == "plan":
        (path,) = run(name, measured, tmp_path / "real")
        assert "simulated" not in path.read_text()


@pytest.mark.parametrize(("name", "suffix"), [("csv", ".csv"), ("json", ".json"), ("plan", ".toml"), ("html", ".html")])
def test_name_without_a_suffix_gets_the_exporters(name, suffix, measured, tmp_path):
    written = run(name, measured, tmp_path / "deep" / "out")
    assert all(path.suffix == suffix and path.exists() for path in written)


@pytest.mark.parametrize("name", sorted(list_exporters().keys() - {"pdf"}))  # Qt writes the time into a PDF
def test_same_sweep_gives_the_same_bytes(name, measured, tmp_path):
    one = [path.read_bytes() for path in run(name, measured, tmp_path / "one" / "out")]
    other = [path.read_bytes() for path in run(name, measured, tmp_path / "other" / "out")]
    assert one == other


def test_failed_write_leaves_nothing_behind(measured, tmp_path):
    (tmp_path / "out.json").mkdir()
    with pytest.raises(OSError):  # noqa: PT011 - whatever the file system says
        list_exporters()["json"].write(
            measured.results, measured.spec, measured.facts, tmp_path / "out.json", replacing=None
        )
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_bundle_refuses_a_decision_that_orders_no_change(material, tmp_path):
    unsure = material(noise=0.6)
    assert list_exporters()["bundle"].refuses(unsure.results, unsure.spec, unsure.facts)
    with pytest.raises(SpecError, match="advises no split: Keep the original settings for now"):
        run("bundle", unsure, tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


def test_any_measured_split_can_be_bundled_and_the_bundle_reports_that_it_was_named_by_hand(material, tmp_path):
    unsure = material(noise=0.6)
    parts = (unsure.results, unsure.spec, unsure.facts)
    bundle = list_exporters()["bundle"].for_split(setting_at("1:10"))
    assert bundle.refuses(*parts) == ""
    bundle.write(*parts, tmp_path / "unsure")
    readme = " ".join((tmp_path / "unsure/README.txt").read_text().split())
    assert readme.startswith(f"1:10 was chosen by hand: run {unsure.results.run_id} advises no split. Split 1:10")
    assert "split=1:10\n" in (tmp_path / "unsure/split.conf").read_text()
    sure = ordering(material(), "1:1")
    bundle.write(sure.results, sure.spec, sure.facts, tmp_path / "sure")
    readme = " ".join((tmp_path / "sure/README.txt").read_text().split())
    assert f"1:10 was chosen by hand: run {sure.results.run_id} advises 1:1." in readme
    assert sure.results.answer.headline in readme  # in the evidence
    wanted = next(point.params for point in sure.results.points if point.label == "1:10")
    assert all(params.words in readme for params in wanted.values())


def test_bundle_of_a_split_that_was_not_measured_is_refused(measured, tmp_path):
    bundle = list_exporters()["bundle"].for_split(setting_at("3:4"))
    with pytest.raises(SpecError, match="3:4 was not measured"):
        bundle.write(measured.results, measured.spec, measured.facts, tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


@pytest.mark.parametrize("name", sorted(set(list_exporters()) - {"bundle"}))
def test_export_of_all_splits_takes_no_single_one(name):
    with pytest.raises(SpecError, match="is not of one split"):
        list_exporters()[name].for_split(setting_at("1:2"))


def test_bundle_from_a_simulation_is_refused(simulated, tmp_path):
    with pytest.raises(SpecError, match="simulated"):
        run("bundle", simulated, tmp_path / "bundle")


def test_bundle_for_another_kind_of_host_is_refused(measured):
    facts = msgspec.structs.replace(measured.facts, scheduler="null")
    assert "'null'" in list_exporters()["bundle"].refuses(measured.results, measured.spec, facts)


@pytest.mark.parametrize(
    ("name", "made"), [("csv", "out-trials.csv"), ("bundle", "out/README.txt"), ("plan", "out.toml")]
)
def test_no_file_is_replaced_unasked_and_nothing_else_is_written_then(measured, tmp_path, name, made):
    target = tmp_path / ("out" if name == "bundle" else f"out{list_exporters()[name].suffix}")
    theirs = tmp_path / made
    theirs.parent.mkdir(exist_ok=True)
    theirs.write_text("mine")
    with pytest.raises(SpecError, match=theirs.name) as caught:
        run(name, measured, target)
    assert "--force" in caught.value.hint
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [theirs]
    assert theirs.read_text() == "mine"


def test_files_are_replaced_when_the_user_agrees(measured, tmp_path):
    first = run("csv", measured, tmp_path / "out.csv")
    first[0].write_text("old")
    with pytest.raises(SpecError, match=r"1 file is there already.*out-trials"):
        write_again(measured, tmp_path, replacing=first[:1])
    assert first[0].read_text() == "old"
    assert write_again(measured, tmp_path, replacing=None) == first
    assert first[0].read_text() != "old"


def write_again(measured, tmp_path, *, replacing):
    csv_export, target = list_exporters()["csv"], tmp_path / "out.csv"
    return csv_export.write(measured.results, measured.spec, measured.facts, target, replacing=replacing)

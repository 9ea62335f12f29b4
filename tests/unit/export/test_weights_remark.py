"""Check that exports with weights other than the plan's report both at their top."""

import json
import zipfile
from pathlib import Path

import pytest

from app.pages.result_data import ResultData, result_data_of
from scheduler.export.exporters import list_exporters
from scheduler.model.plan_file import parse_plan
from tests.data_maker import make_documents, make_spec

SENTENCE = "Weights as shown in the window: IR 1 %, OLTP 99 %. The plan's: 50 % and 50 %."
SUFFIXES = {"html": ".html", "csv": ".csv", "plan": ".toml", "json": ".json", "bundle": ".zip"}


@pytest.fixture(scope="module")
def finding() -> ResultData:
    return result_data_of(make_documents(samples=False))


def export(finding: ResultData, kind: str, folder: Path, weights: dict[str, float]) -> dict[str, str]:
    """Write an export with these weights and return file name to text."""
    results, spec = finding.shown(finding.weighted(weights))
    target = folder / f"out{SUFFIXES[kind]}"
    exporter = list_exporters()[kind].for_split(None, anyway=kind == "bundle")
    written = exporter.write(results, spec, finding.run.facts, target)
    if kind != "bundle":
        return {path.name: path.read_text(encoding="utf-8") for path in written}
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.parametrize(("kind", "first_lines"), [("csv", 1), ("plan", 2), ("bundle", 6)])
def test_export_of_other_weights_names_both_in_its_first_lines(finding, kind, first_lines, tmp_path):
    for name, text in export(finding, kind, tmp_path, {"osdb-ir": 1 - 0.99, "osdb-oltp": 0.99}).items():
        if name.endswith(".sh"):  # the same in every bundle
            continue
        top = " ".join(line.removeprefix("# ") for line in text.splitlines()[:first_lines])
        assert SENTENCE in top, name


def test_report_of_other_weights_names_both_below_its_headline(finding, tmp_path):
    [text] = export(finding, "html", tmp_path, {"osdb-ir": 1 - 0.99, "osdb-oltp": 0.99}).values()
    below = text.split("</h1>")[1].strip()
    assert below.startswith(f"<p>{SENTENCE.replace(chr(39), '&#39;')}</p>")


def test_json_of_other_weights_has_both_as_fields(finding, tmp_path):
    [text] = export(finding, "json", tmp_path, {"osdb-ir": 1 - 0.99, "osdb-oltp": 0.99}).values()
    results = json.loads(text)
    assert results["planned_weights"] == {"osdb-ir": 0.5, "osdb-oltp": 0.5}
    assert results["answer"]["weights"] == {"osdb-ir": 0.01, "osdb-oltp": 0.99}


def test_plan_of_other_weights_has_no_rounding_residue(finding, tmp_path):
    [text] = export(finding, "plan", tmp_path, {"osdb-ir": 1 - 0.99, "osdb-oltp": 0.99}).values()
    assert "0.0100" not in text
    assert parse_plan(text).weights == {"osdb-ir": 0.01, "osdb-oltp": 0.99}


@pytest.mark.parametrize("kind", SUFFIXES)
def test_export_of_the_planned_weights_names_no_weights_of_the_window(finding, kind, tmp_path):
    for text in export(finding, kind, tmp_path, {"osdb-ir": 0.5, "osdb-oltp": 0.5}).values():
        assert "shown in the window" not in text


def test_export_of_the_planned_weights_keeps_the_plan_as_written(tmp_path):
    spec = make_spec(weights={"osdb-ir": 1.0, "osdb-oltp": 2.0})
    finding = result_data_of(make_documents(samples=False, spec=spec))
    _, exported = finding.shown(finding.weighted({"osdb-ir": 1 / 3, "osdb-oltp": 2 / 3}))
    assert exported == spec

"""Check that every export that names a split follows the decision of the run."""

import csv
import io
import re

import msgspec
import pytest

from scheduler.errors import SpecError
from scheduler.export.exporters import list_exporters
from scheduler.export.html_report import report_text
from scheduler.export.material import ExportMaterial
from scheduler.model.decision import DecisionKind
from tests.data_maker import make_spec
from tests.decisions import HEADLINES, with_decision
from tests.settings import split_at

KINDS = list(DecisionKind)
ORDERS_NONE = [kind for kind in KINDS if kind is not DecisionKind.CHANGE]

MARKS = {
    DecisionKind.CHANGE: ("change", "advised", "named"),
    DecisionKind.STAY: ("change nothing", "best split", "level"),
    DecisionKind.NOT_YET: ("change nothing yet", "best split", "level"),
    DecisionKind.UNKNOWN: ("gain not measured", "best split", "level"),
}


@pytest.fixture
def decided(material):
    """Return a function that makes material whose decision is of a kind and about 1:2."""
    found = material(spec=make_spec(splits=("1:2", "1:10"), repeats=6), noise=0.002)

    def decided(kind: DecisionKind) -> ExportMaterial:
        return ExportMaterial(with_decision(found.results, kind), found.spec, found.facts, found.command_log)

    return decided


def export(name: str, material: ExportMaterial, target, **options):
    exporter = list_exporters()[name].for_split(options.pop("split", None), **options)
    return exporter.write(material.results, material.spec, material.facts, target)


@pytest.mark.parametrize("kind", ORDERS_NONE)
def test_bundle_without_an_ordered_split_is_refused_with_the_decision(decided, kind, tmp_path):
    with pytest.raises(SpecError) as refused:
        export("bundle", decided(kind), tmp_path / "out")
    assert HEADLINES[kind].format(split="1:2").rstrip(".") in str(refused.value)
    assert "--split a:b" in str(refused.value)
    assert "--anyway to take 1:2" in str(refused.value)


def test_bundle_of_a_change_sets_the_ordered_split(decided, tmp_path):
    export("bundle", decided(DecisionKind.CHANGE), tmp_path / "out")
    readme = (tmp_path / "out/README.txt").read_text()
    assert readme.startswith("Change to 1:2: +9 %")
    assert "Split 1:2 (" in readme
    assert "chosen by hand" not in readme


@pytest.mark.parametrize("kind", ORDERS_NONE)
def test_bundle_anyway_sets_the_split_of_the_decision_and_names_the_decision(decided, kind, tmp_path):
    material = decided(kind)
    export("bundle", material, tmp_path / "out", anyway=True)
    readme = " ".join((tmp_path / "out/README.txt").read_text().split())
    assert readme.startswith(f"1:2 was chosen by hand: run {material.results.run_id} advises no split.")
    assert HEADLINES[kind].format(split="1:2") in readme


@pytest.mark.parametrize("kind", KINDS)
def test_bundle_of_another_split_names_the_ordered_split_or_none(decided, kind, tmp_path):
    export("bundle", decided(kind), tmp_path / "out", split=split_at("1:10"))
    readme = (tmp_path / "out/README.txt").read_text()
    advised = "1:2" if kind is DecisionKind.CHANGE else "no split"
    assert f"advises {advised}." in readme.splitlines()[0]
    assert "Split 1:10 (" in readme


def test_export_of_all_splits_refuses_anyway():
    with pytest.raises(SpecError, match="not of one split") as refused:
        list_exporters()["csv"].for_split(None, anyway=True)
    assert refused.value.field == "--anyway"


@pytest.mark.parametrize("kind", KINDS)
def test_report_marks_the_split_by_its_rank_in_the_decision(decided, kind):
    page = report_text(decided(kind))
    words, mark, style = MARKS[kind]
    assert f"<dt>Decision</dt><dd>{words}<small>1:2: {mark}</small></dd>" in page
    assert re.findall(r'<text [^>]*class="mark"[^>]*>([^<]*)</text>', page)[0] == mark
    assert ('<tr class="named">' in page) is (style == "named")
    assert ('<tr class="level">' in page) is (style == "level")
    assert f"<td>{mark}</td>" in page


@pytest.mark.parametrize("kind", KINDS)
def test_report_draws_a_split_next_to_its_headline_only_for_an_order(decided, kind):
    head = report_text(decided(kind)).split("<h1>")[1].split("</h1>")[0]
    assert HEADLINES[kind].format(split="1:2") in head
    assert ('class="sign"' in head) is (kind is DecisionKind.CHANGE)


@pytest.mark.parametrize("kind", KINDS)
def test_plan_of_a_run_names_no_split_as_best(decided, kind, tmp_path):
    (path,) = export("plan", decided(kind), tmp_path / "out.toml")
    text = path.read_text()
    assert not re.search(r"\b(best|advis|recommend|change to|take)", text, re.IGNORECASE)
    assert [line for line in text.splitlines() if "1:2" in line] == ['splits = ["1:2", "1:10"]']


@pytest.mark.parametrize("kind", KINDS)
def test_csv_has_the_decision_and_the_rank_of_each_split(decided, kind, tmp_path):
    points, _ = export("csv", decided(kind), tmp_path / "out.csv")
    rows = list(csv.DictReader(io.StringIO(points.read_text())))
    assert {(row["decision"], row["split of the decision"]) for row in rows} == {(kind.value, "1:2")}
    ranks = {row["split (I/O domain:guest)"]: row["rank of the split"] for row in rows}
    assert ranks["1:2"] == ("ordered" if kind is DecisionKind.CHANGE else "best")
    assert ranks["baseline"] == "other"


def test_report_writes_minus_signs_in_its_headline(decided):
    found = decided(DecisionKind.STAY)
    answer = msgspec.structs.replace(found.results.answer, headline="Change nothing (1:2: -3 to +1 %), well-known.")
    results = msgspec.structs.replace(found.results, answer=answer)
    head = (
        report_text(ExportMaterial(results, found.spec, found.facts, found.command_log))
        .split("<h1>")[1]
        .split("</h1>")[0]
    )
    assert head == "Change nothing (1:2: \N{MINUS SIGN}3 to +1 %), well-known."


def test_report_figure_keeps_its_legend_inside(decided):
    """Two loads with their baselines fill the line above the plot; what whiskers are is below the axis."""
    page = report_text(decided(DecisionKind.STAY))
    texts = re.findall(r'<text x="([\d.]+)" y="14"[^>]*>([^<]*)</text>', page.split("</svg>")[0])
    assert texts
    assert all(float(left) + 6.8 * len(words) < 880 for left, words in texts)
    assert "whiskers: 95 % interval" in page

"""docs/developers/add-a-load.md, followed to the letter in a copy of the source tree."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import apart
from tests.guide_page import changed_lines, new_folders
from tests.settings import json_label
from tests.third_kind import REGISTRY, third_kind, tree_with_the_kind

KIND = third_kind().name
PLAN = """
host = "{host}"
splits = ["1:1", "2:1"]
protocol = "grid"
repeats = 1
measure_s = 1
settle_s = 0
load_settle_s = 0
[[load]]
kind = "{kind}"
rows = 20
"""
BESIDE_OTHERS = """
[[load]]
kind = "osdb-ir"
[[load]]
kind = "osdb-oltp"
[objective]
name = "limited"
load = "{kind}"
limit_frac = 0.5
"""

# Several commands with one start of Python.
EXPORT = """
import json, sys
from scheduler.commands.parser import main
sys.exit(max(main(words) for words in json.loads(sys.argv[1])))
"""

# The marks of the page's load, as the window draws them.
LOOK = """
from app.plots.chart_plot import ChartPlot
from app.theme.tokens import DARK, LIGHT
from scheduler.model.chart import Chart, Mark, column_axis, load_series
from scheduler.model.estimate import Estimate
series, axis = load_series("ranges", "Ranges"), column_axis("Item", ["Q1"])
marks = (Mark(0.0, Estimate(10.0, 9.0, 11.0), 0, ("Q1",)),)
plot = ChartPlot(Theme(app))
plot.show_chart(Chart(title="rates", x=axis, y=axis, series=(series,), marks=marks, whiskers="95 %"))
print("legend", *(plot.legend(look)[0].mark + plot.legend(look)[0].colour for look in (LIGHT, DARK)))
[drawn] = [item.opts["symbol"] for item in plot._items if "symbol" in item.opts and item.opts["symbol"]]
print("drawn", drawn, app.styleSheet().count('QLabel[role="brown"]'))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    return tree_with_the_kind(tmp_path_factory.mktemp("tree"))


def environment_of(tree: Path, home: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(tree), "DOMTUNE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}


def run(tree: Path, *words: str, home: Path) -> subprocess.CompletedProcess:
    command, environment = [sys.executable, *words], environment_of(tree, home)
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=280, check=False)


def check_tests_pass(tree: Path, home: Path, *words: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    environment = environment_of(tree, home)
    with (
        subprocess.Popen(
            command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as tests,
        apart.slowed(tests.pid, 0.5),
    ):  # its database would take all that there is
        said, _ = tests.communicate(timeout=280)
    assert tests.returncode == 0, said[-3000:]
    assert " passed" in said


def test_page_touches_one_file_and_its_folder(tree: Path):
    assert new_folders(tree) == {"scheduler/loads/ranges"}
    assert changed_lines(tree).keys() == {REGISTRY}


def test_load_of_the_page_passes_tests_of_loads(tree: Path, tmp_path: Path):
    """Run what depends on the kind, on a real database, and what every part knows of it."""
    files = ("tests/contract/test_osdb_loads.py", "tests/unit/model/test_load_kinds.py")
    chosen = f"({KIND} and (whole_seconds or test_load_kinds)) or no_other or papers_kinds"
    check_tests_pass(tree, tmp_path, *files, "-k", chosen)


@pytest.mark.parametrize(("host", "more"), [("sim:", BESIDE_OTHERS), ("fake:{home}/host.json", "")])
def test_sweep_with_load_of_the_page_is_exported(tree: Path, tmp_path: Path, host: str, more: str):
    plan = tmp_path / "plan.toml"
    plan.write_text((PLAN + more).format(host=host.format(home=tmp_path), kind=KIND))
    done = run(tree, "-m", "scheduler", "run", str(plan), "--json", home=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    results = json.loads(done.stdout)
    points = [point for point in results["points"] if point["load"] == KIND]
    assert {json_label(point) for point in points} >= {"1:1", "2:1"}
    assert all(point["mean_tps"] > 0 for point in points)
    if host != "sim:":
        return  # a run is exported in the same way, whatever its host
    assert any("Ranges is simulated as IR" in line for line in results["differences"])
    files = {"plan": "again.toml", "html": "run.html", "csv": "run.csv"}
    exports = [("export", results["run_id"], "--to", kind, "--out", str(tmp_path / files[kind])) for kind in files]
    exported = run(tree, "-c", EXPORT, json.dumps(exports), home=tmp_path)
    assert exported.returncode == 0, exported.stderr
    assert "rows = 20" in (tmp_path / "again.toml").read_text()
    check_report_shows_own_marker((tmp_path / "run.html").read_text())
    assert KIND in (tmp_path / "run.csv").read_text()


def check_report_shows_own_marker(page: str) -> None:
    """Check the mark of the page's load in tables, pictures and style sheet of a report."""
    look = third_kind()
    marker, colour = look.marker.name, look.colour.name
    assert f'<span class="load {marker} {colour}"></span>Ranges' in page
    shapes = re.findall(rf'<polygon points="([^"]*)" class="dot {colour}">', page)
    assert {len(points.split()) for points in shapes} == {len(look.marker.corners)}
    outlines = re.findall(rf"\.load\.{marker} {{ clip-path: polygon\(([^)]*)\)", page)
    assert [len(outline.split(",")) for outline in outlines] == [len(look.marker.corners)]
    for rule in (f"--{colour}: {look.colour.light.lower()};", f"svg .{colour} {{ --series: var(--{colour}); }}"):
        assert rule in page


def test_window_has_load_of_the_page(tree: Path, tmp_path: Path):
    code = "; ".join(
        (
            "from PySide6.QtWidgets import QApplication",
            "app = QApplication([])",
            "from app.core_process import CommandRunner",
            "from app.settings import Settings",
            "from app.theme.theme import Theme",
            "from app.wizard.wizard import Wizard",
            "wizard = Wizard(Theme(app), Settings(), CommandRunner())",
            f"card = wizard.page_at(3).cards[{KIND!r}]",
            "print(card.on.isChecked(), card.on.text())",
            "card.on.click()",
            "print(card.inputs.others['rows'].name.text(), card.inputs.others['rows'].edit.text())",
            "card.inputs.others['rows'].typed.emit('30')",
            "wizard.go(5)",
            "from app.wizard.plan_texts import review_paragraph",
            "print(review_paragraph(wizard.state.spec, None))",
            "print(dict(wizard.state.spec.loads[-1].parameters))",
        )
    )
    environment = environment_of(tree, tmp_path)
    command = [sys.executable, "-c", code + LOOK]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "False Ranges: neighbouring rows" in done.stdout
    assert "In a range 10" in done.stdout
    assert "{'rows': 30}" in done.stdout
    assert "5 users read ranges (Ranges)" in done.stdout
    assert "legend load-arrow#662200 load-arrow#AA9966" in done.stdout
    assert "drawn load-arrow 1" in done.stdout

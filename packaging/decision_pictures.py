"""Pictures of the four decisions on every page that names a split.

    xvfb-run -a -s "-screen 0 1280x800x24" env QT_QPA_PLATFORM=xcb python packaging/decision_pictures.py FOLDER

A simulated sweep is run for each decision. The pictures are `DECISION-PAGE-WIDTH-APPEARANCE.png`, light and dark, on
two screens. The reports are `DECISION-report.html`. Check all of them before a release: a person in a hurry must not
read an order where the decision orders nothing.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from picture_stage import Stage

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from scheduler.model.results import Recommendation, Results

SIZES_PX = ((1024, 600), (1280, 800))
_LOADS = '[[load]]\nkind = "osdb-ir"\n[[load]]\nkind = "osdb-oltp"\n'
_SPLITS = 'splits = ["1:5", "2:5", "1:2", "1:1", "2:1"]\n'
PLANS = {
    "change": f'host = "sim:{{home}}/gains.json"\n{_SPLITS}',
    "stay": f'host = "sim:"\n{_SPLITS}',
    "not_yet": f'host = "sim:{{home}}/close.json"\nlimit_min = 14\n{_SPLITS}',
    "unknown": f'host = "sim:"\nprotocol = "quick"\nbaseline = false\n{_SPLITS}',
}
_HOST = f'host = "fake:{{home}}/host.json"\nprotocol = "grid"\nrepeats = 2\nmeasure_s = 1\nsettle_s = 0\n{_SPLITS}'
"""Plan for a fake host that can be set, since a simulated machine ends with its sweep."""
_MACHINE = (
    '{{"schema": "domtune-machine/1", "kind": "surface", "title": "a database server", "noise": "lab",'
    ' "splits": ["1:5", "2:5", "1:2", "1:1", "2:1"], "loads": {{"osdb-ir": [0.7, 1.0, 0.95, {ir}, 0.5],'
    ' "osdb-oltp": [0.8, 1.0, 0.9, {oltp}, 0.4]}}, "scale_tps": {{"osdb-ir": 400, "osdb-oltp": 200}}}}'
)


def run_sweeps(home: Path) -> None:
    """Run a simulated sweep for each decision, and one on a host that can be set."""
    (home / "gains.json").write_text(_MACHINE.format(ir=0.8, oltp=0.75), encoding="utf-8")
    (home / "close.json").write_text(_MACHINE.format(ir=0.97, oltp=0.98), encoding="utf-8")
    for name, text in {**PLANS, "host": _HOST}.items():
        plan = home / f"{name}.toml"
        plan.write_text(f'name = "{name}"\n{text.format(home=home)}{_LOADS}', encoding="utf-8")
        subprocess.run([sys.executable, "-P", "-m", "scheduler", "run", str(plan), "--quiet"], check=True, stdout=-3)


def show_pages(stage: Stage, name: str, runs: "Mapping[str, str]", out: Path) -> "Iterator[tuple[str, QWidget]]":
    """Yield each page of a decision with its name, after showing the page.

    Args:
        stage: The running application.
        name: Name of the decision.
        runs: Name of a sweep to its id.
        out: Folder for the report.
    """
    answer = _show_result(stage, runs[name]).answer
    yield "result", stage.window
    kind = answer.decision.kind
    if kind != name:
        raise SystemExit(f"the sweep {name!r} decided {kind}: change its plan in {__file__}")
    _write_report(stage, out / f"{name}-report.html")
    yield from ((f"live-{part}", _live_page(stage, runs[name], frac)) for part, frac in (("half", 0.5), ("end", 1.0)))
    yield "apply", _apply_dialog(stage, _show_result(stage, runs["host"]), answer)


def _show_result(stage: Stage, run_id: str) -> "Results":
    stage.window.show_result(run_id)
    result = stage.window.result
    stage.wait(lambda: result.complete and result.finding.results.run_id == run_id)
    stage.settle(700)
    return result.finding.results


def _write_report(stage: Stage, path: Path) -> None:
    from scheduler.export.exporters import list_exporters

    finding = stage.window.result.finding
    list_exporters()["html"].write(
        finding.results, finding.run.spec, finding.run.facts, path, finding.command_log, replacing=None
    )


def _live_page(stage: Stage, run_id: str, frac: float) -> "QWidget":
    """Show a part of the run as in a live run."""
    from app.pages.live_page import LivePage
    from scheduler import places
    from scheduler.store.run_store import RunStore

    with RunStore(places.store_path(), read_only=True) as store:
        documents = list(store.documents(run_id))
    live = LivePage(stage.window.theme, stage.window.background)
    stage.window.add_page(live)
    stage.window.show_page(live)
    stage.window.rail.enable("live", on=True)
    stage.window.rail.choose("live")
    for document in documents[: round(frac * len(documents))]:
        live.take(document)
    stage.settle(1000)
    return stage.window


def _apply_dialog(stage: Stage, results: "Results", answer: "Recommendation") -> "QWidget":
    """Show the apply dialog for the host of `results`, with another sweep's answer."""
    import msgspec

    from app.pages.apply_dialog import ApplyDialog
    from app.pages.decision_texts import doubt_words

    there = msgspec.structs.replace(results, host_title="this host", answer=answer)
    dialog = ApplyDialog(stage.window.theme, stage.window.runner, there, answer.decision.setting.split, stage.window)
    dialog.show_doubt(doubt_words(answer.decision))
    dialog.show()
    stage.wait(lambda: dialog.table.source.table.rows)
    return dialog


def photograph(out: Path, size_px: tuple[int, int]) -> None:
    """Take all pictures of one screen.

    Args:
        out: Folder for the pictures.
        size_px: Width and height of the window, pixels.
    """
    from PySide6.QtWidgets import QApplication

    from app.garbage_collector import GarbageCollector
    from app.main_window import MainWindow
    from app.settings import Settings
    from app.theme.theme import Appearance, Theme
    from scheduler import places
    from scheduler.store.run_store import RunStore

    app = QApplication(sys.argv[:1])
    collector = GarbageCollector(app)
    theme = Theme(app, Appearance.LIGHT)
    window = MainWindow(theme, Settings())
    window.resize(*size_px)
    window.show()
    stage = Stage(app, window)

    def snap(name: str, shown: "QWidget") -> None:
        for appearance in (Appearance.LIGHT, Appearance.DARK):
            theme.set_appearance(appearance)
            stage.settle()
            shown.grab().save(str(out / f"{name}-{size_px[0]}-{appearance}.png"))
        theme.set_appearance(Appearance.LIGHT)

    stage.wait(lambda: window.home.ready)
    stage.settle(1500)
    snap("all-home", window)
    with RunStore(places.store_path(), read_only=True) as store:
        runs = {run.plan.name: run.run_id for run in store.runs()}
    for name in PLANS:
        for page, shown in show_pages(stage, name, runs, out):
            snap(f"{name}-{page}", shown)
            if shown is not window:
                shown.close()
    window.close()
    collector.deleteLater()
    app.quit()


def main() -> None:
    """Run the sweeps, then take the pictures in one process per screen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--width", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.width:
        photograph(arguments.out, next(size for size in SIZES_PX if size[0] == arguments.width))
        return
    with tempfile.TemporaryDirectory(prefix="domtune-pictures-") as folder:
        os.environ["DOMTUNE_HOME"] = folder
        run_sweeps(Path(folder))
        for width, _ in SIZES_PX:
            subprocess.run([sys.executable, __file__, str(arguments.out), "--width", str(width)], check=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()

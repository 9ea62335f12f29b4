"""Pictures of every page of the window, in light and dark and two scales.

    python packaging/screenshots.py [FOLDER] [--home FOLDER] [--only NAME ...] [--scale 1|2]
        [--size WIDTHxHEIGHT] [--texts]

The window has 1280x800 pixels, or those of `--size`, at 100 % and 200 %. Pictures are written to FOLDER (default
`build/screenshots`) as `NAME-light.png`, `NAME-dark.png`, `NAME-light-200.png` ..., the visible texts to `NAME.txt`.
`--texts` writes the texts only. The pictures show the sweeps of `--home`, from a copy. Without `--home`, a short sweep
of a fake host is run first, and its pictures are marked as simulated.

To add a page, write a function with `@page("name")` that shows the page. The function gets a `Stage` and returns the
widget for the picture. `stage.wait(condition)` runs the event loop until the condition holds.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import cpu_pictures  # noqa: F401 - registers its pages
import follow_pictures  # noqa: F401 - registers its pages
import paper_pictures  # noqa: F401 - registers its page
import watch_pictures  # noqa: F401 - registers its pages
from picture_stage import PAGES, Page, Stage, page, visible_texts

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

SIZE_PX = "1280x800"
PLAN = """
name = "A made-up host"
host = "fake:{home}/host.json"
splits = ["1:1", "1:2", "1:5", "2:1", "2:5", "5:1", "5:2"]
protocol = "grid"
repeats = 2
seed = 1
measure_s = 1
settle_s = 0
load_settle_s = 0
"""


@page("home")
def _home(stage: Stage) -> "QWidget":
    stage.window.go("home")
    cards = stage.window.home.hosts.cards
    stage.wait(lambda: cards and all(card.dot.state != "unknown" for card in cards if card.looks))
    return stage.window


@page("first-start")
def _first_start(stage: Stage) -> "QWidget":
    stage.window.go("home")
    stage.window.home.show_first()
    return stage.window


@page("settings")
def _settings(stage: Stage) -> "QWidget":
    from app.pages.settings_dialog import SettingsDialog

    return SettingsDialog(stage.window.theme, stage.window.settings, stage.window)


@page("glossary")
def _glossary(stage: Stage) -> "QWidget":
    from app.widgets.glossary_tips import GlossaryDialog

    return GlossaryDialog(stage.window)


@page("about")
def _about(stage: Stage) -> "QWidget":
    from app.pages.about_dialog import AboutDialog

    return AboutDialog(stage.window.theme, stage.window)


@page("manual")
def _manual(stage: Stage) -> "QWidget":
    from app.pages.manual import manual_sections, page_for
    from app.widgets.document_reader import DocumentReader

    reader = DocumentReader("Manual", manual_sections(), stage.window)
    reader.open_page(page_for("protocol"))
    return reader


@page("compare")
def _compare(stage: Stage) -> "QWidget":
    from app.pages.comparison import read_sweeps
    from scheduler import places

    rows = [row for row in stage.window.home.list.source.rows if row.newest.answer is not None]
    stage.window.show_comparison(read_sweeps(places.store_path(), rows[:4]))
    stage.settle()
    return stage.window


@page("restore-banner")
def _restore_banner(stage: Stage) -> "QWidget":
    from scheduler.model.command_answers import RestoreItem

    stage.window.go("home")
    item = RestoreItem(host="local:", host_id="this", armed_unix_s=1_795_000_000.0, state="armed")
    stage.window.banner.show_items((item,))
    return stage.window


@page("result")
def _result(stage: Stage) -> "QWidget":
    stage.window.show_result(stage.run_id)
    stage.wait(lambda: stage.window.result.complete)
    stage.settle(500)
    return stage.window


@page("live")
def _live(stage: Stage) -> "QWidget":
    stage.window.show_replay(stage.run_id)
    stage.window.rail.enable("result", on=True)  # a replay starts on the result page
    stage.settle(2000)
    return stage.window


@page("live-running")
def _live_running(stage: Stage) -> "QWidget":
    """Show the live page after two thirds of a stored sweep, with its log unfolded."""
    from app.pages.live_page import LivePage
    from scheduler import places
    from scheduler.store.run_store import RunStore

    with RunStore(places.store_path(), read_only=True) as store:
        documents = list(store.documents(stage.run_id))
    live = LivePage(stage.window.theme, stage.window.background)
    stage.window.add_page(live)
    stage.window.show_page(live)
    stage.window.rail.enable("live", on=True)
    stage.window.rail.choose("live")
    for document in documents[: len(documents) * 2 // 3]:
        live.take(document)
    live.strip.log.setChecked(True)
    stage.settle(500)
    return stage.window


@page("result-why")
def _result_why(stage: Stage) -> "QWidget":
    stage.window.show_result(stage.run_id)
    stage.wait(lambda: stage.window.result.complete)
    stage.settle(500)
    stage.window.result.area.verticalScrollBar().setValue(stage.window.result.why.y() - 16)
    return stage.window


@page("apply")
def _apply(stage: Stage) -> "QWidget":
    import msgspec

    from app.pages.apply_dialog import ApplyDialog

    window = stage.window
    window.show_result(stage.run_id)
    stage.wait(lambda: window.result.finding is not None)
    results = msgspec.structs.replace(window.result.finding.results, host_title="this host")
    dialog = ApplyDialog(window.theme, window.runner, results, window.result.answer.setting.split, window)
    stage.wait(dialog.apply.isEnabled)
    dialog.fold.setChecked(True)
    return dialog


def _wizard(step: int) -> Page:
    def make(stage: Stage) -> "QWidget":
        stage.window.new_sweep("local:")
        for at in range(step + 1):
            stage.window.wizard.go(at)
            stage.settle(3000 if at in {0, step} else 200)  # the host is being probed
        return stage.window

    return make


for _step, _name in enumerate(("host", "domains", "splits", "loads", "protocol", "review"), start=1):
    page(f"wizard-{_step}-{_name}")(_wizard(_step - 1))


@page("wizard-xen-key")
def _wizard_key(stage: Stage) -> "QWidget":
    from app.wizard.key_dialog import KeyDialog

    return KeyDialog(
        stage.window.theme, "xl+ssh://root@xen1", "SHA256:" + "4kY9sQz0bT7" * 3 + "mN2pR8vW1x", stage.window
    )


@page("password")
def _password(stage: Stage) -> "QWidget":
    from app.widgets.password_dialog import PasswordDialog

    url, why = "xl+ssh://root@xen1", "root@xen1 did not let us in: Permission denied (publickey,password)."
    return PasswordDialog(stage.window.theme, "The host wants a password", why, [url], "Log in", stage.window)


@page("wizard-simulated-host")
def _wizard_simulated(stage: Stage) -> "QWidget":
    stage.window.new_sweep("sim:?scheduler=credit2")
    page = stage.window.wizard.page_at(0)
    page.ask_if_unknown()
    stage.wait(page.facts.isVisible)
    return stage.window


@page("wizard-guests")
def _wizard_guests(stage: Stage) -> "QWidget":
    from scheduler.model.command_answers import HostProbe, HostProblem

    url = "xl+ssh://root@xen1"
    stage.window.new_sweep(url)
    page = stage.window.wizard.page_at(0)
    text, hint = "xen1: 3 guests run there: 'db1', 'mail', 'web'", "Say which one runs the database."
    page.show_answer(url, HostProbe(error=text, hint=hint, problem=HostProblem.DOMAINS, choices=("db1", "mail", "web")))
    return stage.window


def _photograph(out: Path, only: Sequence[str], scale: int, size: str, *, texts: bool) -> None:
    """Write the pictures and texts of the chosen pages.

    Args:
        out: Folder.
        only: Names of the pages; empty for all.
        scale: 1 or 2.
        size: Pixels of the window, for example `1024x600`.
        texts: True to write no pictures.
    """
    from PySide6.QtWidgets import QApplication

    from app.garbage_collector import GarbageCollector
    from app.main_window import MainWindow
    from app.settings import Settings
    from app.theme.theme import Appearance, Theme

    app = QApplication(sys.argv[:1])
    collector = GarbageCollector(app)  # a worker thread must not collect closed windows
    theme = Theme(app, Appearance.LIGHT)
    suffix = "" if scale == 1 else f"-{scale * 100}"
    for name, make in PAGES.items():
        if only and name not in only:
            continue
        theme.set_appearance(Appearance.LIGHT)
        window = MainWindow(theme, Settings())
        window.resize(*map(int, size.split("x")))
        window.show()
        stage = Stage(app, window)
        stage.wait(lambda window=window: window.home.ready)
        shown = make(stage)
        shown.show()
        stage.settle()
        (out / f"{name}.txt").write_text("\n".join(visible_texts(shown)), encoding="utf-8")
        for appearance in () if texts else (Appearance.LIGHT, Appearance.DARK):
            theme.set_appearance(appearance)
            stage.settle()
            path = out / f"{name}-{appearance}{suffix}.png"
            shown.grab().save(str(path))
            print(path)
        if shown is not window:
            shown.close()
        window.close()
        window.deleteLater()
    collector.deleteLater()
    app.quit()


def _made_up(home: Path) -> None:
    """Run two short sweeps of a fake host in the real core."""
    plan = home / "plan.toml"
    plan.write_text(PLAN.format(home=home), encoding="utf-8")
    for _ in range(2):
        subprocess.run([sys.executable, "-P", "-m", "scheduler", "run", str(plan), "--quiet"], check=True, stdout=-3)


def main() -> None:
    """Prepare a temporary folder, then take the pictures in one process per scale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=Path, default=Path("build/screenshots"))
    parser.add_argument("--home", type=Path, help="a DOMTUNE_HOME with sweeps to show")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", choices=list(PAGES))
    parser.add_argument("--scale", type=int, default=0, choices=[0, 1, 2], help="0 for both")
    parser.add_argument("--size", default=SIZE_PX, help="pixels of the window, for example 1024x600")
    parser.add_argument("--texts", action="store_true", help="write the visible texts, and no pictures")
    parser.add_argument("--prepared", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.prepared:
        _photograph(arguments.out, arguments.only, arguments.scale, arguments.size, texts=arguments.texts)
        return
    with tempfile.TemporaryDirectory(prefix="domtune-pictures-") as folder:
        home = Path(folder)
        os.environ["DOMTUNE_HOME"] = folder
        if arguments.home:
            shutil.copytree(arguments.home / "state", home / "state", ignore=shutil.ignore_patterns("journal"))
        else:
            _made_up(home)
        for scale in [arguments.scale] if arguments.scale else [1, 2]:
            environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "QT_SCALE_FACTOR": str(scale)}
            options = ["--scale", str(scale), "--size", arguments.size, *(["--texts"] if arguments.texts else [])]
            words = [__file__, str(arguments.out), "--prepared", *options, "--only", *arguments.only]
            subprocess.run([sys.executable, *words], env=environment, check=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()

"""One death of core, window or both while a sweep runs, and whether the window says what is true afterwards.

What is true is read from the world: undo records, control groups, processes, and the store's own documents.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec

from scheduler.errors import StoreError
from scheduler.model.documents import RunOutcome, RunStopped
from scheduler.store.run_store import RunStore
from tests.crash import world
from tests.crash.trial import PLAN, REPO, Sweep, environment, records_in, restore_problems, wait_for

VICTIMS = ("core", "window", "both")
_LIMIT_S = 120.0  # for what takes seconds on a quiet computer


class Truth(msgspec.Struct):
    """What one death showed.

    Attributes:
        victim: What was killed.
        after_s: How long after the sweep's first document.
        armed: Whether the host was changed when it died.
        row: What the list said at the end.
        problems: What was not true, or not as found; empty when all was well.
    """

    victim: str
    after_s: float
    armed: bool
    row: str
    problems: list[str]


class Window(Sweep):
    """The real window, that can be asked what it says."""

    def __init__(self, home: Path, folder: Path, plan: Path | None) -> None:
        self.home, self.folder = home, folder
        folder.mkdir(parents=True, exist_ok=True)
        words = [sys.executable, "-m", "tests.crash.truth_driver", str(folder), *([str(plan)] if plan else [])]
        self._log = (folder / "out.log").open("wb")
        shown = {"QT_QPA_PLATFORM": "xcb" if os.environ.get("DISPLAY") else "offscreen"}
        self.process = subprocess.Popen(
            words,
            cwd=REPO,
            env=environment(home) | shown,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def ask(self, what: str = "ask") -> dict:
        """Have it do or tell something; return what it said last."""
        (self.folder / what).touch()
        if not wait_for(lambda: not (self.folder / what).exists() or self.process.poll() is not None, _LIMIT_S):
            return {"silent": f"the window did not answer within {_LIMIT_S:g} s"}
        said = self.folder / "said.json"
        return json.loads(said.read_text()) if what == "ask" and said.exists() else {}

    def end(self) -> None:
        """End it for good."""
        if self.process.poll() is None:
            self.process.kill()
        self.wait_until_gone()
        self.close()


def run_round(home: Path, host: str, victim: str, after_s: float, folder: Path) -> Truth:
    """Kill `victim` so many seconds after its sweep's first document, and look at what the window says then.

    Args:
        home: DOMTUNE_HOME.
        host: The host's URL.
        victim: core, window or both.
        after_s: Seconds.
        folder: For pictures, answers and what the windows printed.
    """
    before, runs = world.control_groups(), _runs(home)
    plan = home / "plan.toml"
    plan.write_text(PLAN.format(host=host))
    window = Window(home, folder / "before", plan)
    problems: list[str] = []
    try:
        if not wait_for(lambda: _runs(home) > runs, _LIMIT_S):
            return Truth(victim, after_s, armed=False, row="", problems=["the sweep never began"])
        wait_for(lambda: window.process.poll() is not None, after_s)
        window.kill(victim)
        armed = bool(records_in(home)) if victim == "both" else False
        if victim != "core":
            problems += [f"still runs: {line}" for line in window.wait_until_gone()]
            window.close()
            armed = bool(records_in(home))
            window = Window(home, folder / "after", None)
        said = window.ask()
        if armed:
            problems += red_problems(said, host)
            window.ask("restore")
            said = window.ask()
        problems += problems_of(said, host, _last(home))
    finally:
        window.end()
    return Truth(victim, after_s, armed, str(said.get("row", "")), problems + restore_problems(home, before))


def red_problems(said: dict, host: str) -> list[str]:
    """Return what is wrong with what was said while the host was changed."""
    checks = {
        "no banner": bool(said.get("banner")),
        f"the card says {said.get('cards')}": said["cards"][host] == ["bad", "Has settings of an interrupted sweep"],
        f"the result says {said.get('result')}": said["result"][:1] == ["bar-danger"],
        f"the list says {said.get('row')}": said["row"].startswith("not finished"),
    }
    return [f"while due: {text}" for text, fine in checks.items() if not fine]


def problems_of(said: dict, host: str, last: RunStopped | None) -> list[str]:
    """Return what is not true of what the window says when nothing is due any more."""
    if "silent" in said:
        return [said["silent"]]
    if last is None or not last.restored:
        return [f"nobody said how the run ended, or not that its host is as found: {last}"]
    words = " ".join(map(str, (said["row"], *said["result"], *said.get("live", ()))))
    checks = {
        "banner": not said["banner"],
        "card": said["cards"][host] == ["good", "Ready"],
        "red": "bar-danger" not in words and "NOT" not in words and "not yet" not in words,
        "still measuring": not any(word in words for word in ("Settling", "Measuring", "Sweeping")),
        "time left": not said.get("live", [False])[-1],
        "controls": not {"Pause", "Stop\N{HORIZONTAL ELLIPSIS}", "Restore now"} & set(said.get("offered", ())),
    }
    if last.interrupted:
        checks["where"] = last.reason.partition(" of ")[0] in said["row"] and last.reason in words.lower()
        checks["when"] = ("restored at" in words) == bool(last.restored_unix_s)
        checks["live"] = "live" not in said or said["live"][0] == last.reason.capitalize()
        checks["continue"] = "live" not in said or "Continue" in said["offered"]
    else:
        checks["end"] = last.outcome in (RunOutcome.COMPLETED, RunOutcome.ABORTED) and "broke off" not in words
    return [f"{name}: {said}" for name, fine in checks.items() if not fine]


def _store(home: Path) -> Path:
    return home / "state" / "runs.sqlite3"


def _runs(home: Path) -> int:
    try:
        with RunStore(_store(home), read_only=True) as store:
            return len(store.runs())
    except StoreError:  # it is just being made
        return 0


def _last(home: Path) -> RunStopped | None:
    with RunStore(_store(home), read_only=True) as store:
        newest = store.runs()[0]
        words = [document for document in store.documents(newest.run_id) if isinstance(document, RunStopped)]
    return words[-1] if words else None

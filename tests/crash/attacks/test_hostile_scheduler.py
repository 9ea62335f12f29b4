"""The attack: a stranger is the Dask scheduler that a plan names, or listens where it is not running.

A scheduler's messages hold pickles, so code of the stranger's runs in whoever reads them. It must find nothing there.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from scheduler import waiting
from scheduler.errors import ClusterNotUsable
from scheduler.loads.cluster import dask_link
from scheduler.loads.load_registry import open_clients
from scheduler.model.clients import ClientsSpec
from tests.crash.attacks.hostile_scheduler import PIECES
from tests.killing import has_ended
from tests.volume import few, times

pytestmark = pytest.mark.crash

SCRIPT = Path(__file__).with_name("hostile_scheduler.py")
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, whom this attacks")
ALWAYS = ("nonsense", "huge", "flood")
MODES = few(ALWAYS, [mode for mode in PIECES if mode not in ALWAYS])
CASES = [(mode, seed) for mode in MODES for seed in range(times(1, 3) if mode in {"garbage", "nonsense"} else 1)]
RIGHTS = {"read", "write", "kill", "become", "leave"}


class Attacker:
    """A running hostile scheduler."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.port = int(self._line("PORT"))

    @property
    def spec(self) -> ClientsSpec:
        return ClientsSpec(f"tcp://127.0.0.1:{self.port}")

    def report(self) -> dict:
        return json.loads(self._line("REPORT"))

    def _line(self, word: str) -> str:
        for line in self._process.stdout:
            if line.startswith(word):
                return line.partition(" ")[2]
        raise AssertionError(f"it never said {word}")


@contextlib.contextmanager
def attacker(mode: str, seed: int = 0, paths: dict[str, str] | None = None):
    environment = {**os.environ, "PATHS": json.dumps(paths or {}), "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), mode, str(seed)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    try:
        yield Attacker(process)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def refusal_of(spec: ClientsSpec) -> str:
    clients = open_clients(spec, ())
    try:
        with pytest.raises(ClusterNotUsable) as refused:
            clients.preflight([])
    finally:
        clients.close()
    return str(refused.value)


@pytest.fixture
def paths(tmp_path, monkeypatch) -> dict[str, str]:
    """Files that a stranger may want, readable for everybody on purpose: rights, not modes, must keep it."""
    home = tmp_path / "home"
    (home / "state/journal").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    monkeypatch.setenv("DOMTUNE_HOME", str(home))
    return {"secret": str(tmp_path / "secret"), "home": str(home), "state": str(home / "state"), "root": "/root"}


@AS_ROOT
def test_pickle_of_a_scheduler_finds_no_rights_where_it_runs(paths, monkeypatch):
    monkeypatch.setattr(dask_link, "_CONNECT_S", 3.0)
    with attacker("pickle", paths=paths) as stranger:
        reported = refusal_of(stranger.spec)
        seen = stranger.report()
    assert "cannot be reached" in reported
    assert set(seen["uids"]).isdisjoint({0, 65534})
    assert seen["groups"] == []
    assert seen["files"] == []
    attempts = {name: how for name, how in seen.items() if name.split()[0] in RIGHTS}
    assert len(attempts) == 2 * len(paths) + 3
    assert "done" not in attempts.values(), attempts
    assert seen["a gigabyte"] == "MemoryError"
    assert not Path(paths["secret"] + "-mark").exists()
    if seen["a daemon"] == "done":
        assert has_ended(seen["child"])


@AS_ROOT
def test_stranger_who_listens_on_loopback_is_refused_without_a_person(capsys):
    """N2: `nobody` listens where root's scheduler would; the address alone is no reason to connect."""
    from scheduler.commands.parser import main

    assert main(["check-clients", "tcp://127.0.0.1:8786"]) != 0
    reported = capsys.readouterr().err
    assert "without encryption" in reported
    assert "--insecure" in reported


@pytest.mark.parametrize(("mode", "seed"), CASES)
def test_odd_scheduler_is_refused_with_a_sentence(mode, seed, monkeypatch, capfd):
    monkeypatch.setattr(dask_link, "_CONNECT_S", 1.5)
    began_s = time.monotonic()
    with attacker(mode, seed) as stranger:
        reported = refusal_of(stranger.spec)
    assert f"the Dask scheduler {stranger.spec.scheduler} cannot be reached: " in reported
    assert time.monotonic() - began_s < 30
    assert capfd.readouterr() == ("", "")


def test_silent_scheduler_is_left_soon_after_an_abort():
    asked = threading.Event()
    with attacker("silent") as stranger, waiting.use_abort_flag(asked.is_set):
        threading.Thread(target=lambda: (threading.Event().wait(1.5), asked.set())).start()
        reported = refusal_of(stranger.spec)
        began_s = time.monotonic()
    assert "the sweep is to end" in reported
    assert time.monotonic() - began_s < 5


def test_process_that_speaks_with_a_silent_scheduler_ends_with_its_parent(tmp_path):
    """A core that is killed leaves nothing that goes on speaking with strangers."""
    code = "; ".join(
        [
            "import sys",
            "from scheduler.loads.load_registry import open_clients",
            "from scheduler.model.clients import ClientsSpec",
            "open_clients(ClientsSpec(sys.argv[1]), ()).preflight([])",
        ]
    )
    with attacker("silent") as stranger:
        core = subprocess.Popen([sys.executable, "-c", code, stranger.spec.scheduler], stderr=subprocess.DEVNULL)
        children = Path(f"/proc/{core.pid}/task/{core.pid}/children")
        assert waiting.wait_until(lambda: bool(children.read_text().split()), 20.0)
        child = int(children.read_text().split()[0])
        waiting.wait_until(lambda: "NoNewPrivs:\t1" in Path(f"/proc/{child}/status").read_text(), 20.0)
        core.kill()
        core.wait()
        assert waiting.wait_until(lambda: has_ended(child), 5.0)

"""Sweeps of the Xen lab with four CPUs, by a process of their own, to be observed and killed."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from scheduler import places
from scheduler.waiting import wait_until
from tests.lab.guard_lab import DOM0_ALIAS, Dom0

HOST, BASE = f"xl+ssh://{DOM0_ALIAS}", "/run/domtune"
SWEEP_S = 1_800.0  # the tables are made before the first split, and the original settings measured
_LOOKS_S = 4.0  # each look takes the emulated Dom0 half a second
_PLAN = """host = "{host}"
mode = "{mode}"
splits = {splits}
protocol = "grid"
repeats = 1
measure_s = 5
settle_s = 2
load_settle_s = 2
[domains]
guest = "db1"
[cpus]
set = "{cpus}"
others = "{others}"
[[load]]
kind = "osdb-ir"
users = 8
tuples = 2000
database = "{database}"
"""


def write_plan(
    database: str, mode: str, splits: Sequence[str], cpus: str = "auto", others: Literal["leave", "away"] = "leave"
) -> Path:
    """Write a short plan of one load; return its file.

    Args:
        database: URL of the guest's database.
        mode: Mode of the splits.
        splits: The splits.
        cpus: The shared CPUs.
        others: Key of the plan for the other guests.
    """
    path = places.cache_dir() / f"{mode}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    values = {"mode": mode, "splits": json.dumps(splits), "cpus": cpus, "others": others, "database": database}
    path.write_text(_PLAN.format(host=HOST, **values))
    return path


class SweepProcess:
    """`domtune run` of a plan."""

    def __init__(self, plan: Path) -> None:
        command = [sys.executable, "-m", "scheduler", "run", str(plan), "--json", "--quiet"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def wait_until_placed(self, dom0: Dom0, others: Mapping[str, str] | None = None) -> None:
        """Wait until Dom0 is confined.

        Args:
            dom0: The lab's Dom0.
            others: Settings that hold then, too.
        """

        def is_placed() -> bool:
            now = dom0.settings()
            return "on all" not in now["Domain-0 vCPU 0"] and (others or {}).items() <= now.items()

        over = self._wait_for(is_placed)
        assert self.process.poll() is None, self.process.communicate()
        assert over, f"the domains are not placed: {dom0.settings()}"

    def watch(self, dom0: Dom0) -> list[Mapping[str, str]]:
        """Return the settings in Dom0, in order, until the sweep has ended."""
        seen = list[Mapping[str, str]]()

        def is_over() -> bool:
            if (now := dom0.settings()) not in seen[-1:]:
                seen.append(now)
            return False

        self._wait_for(is_over)
        assert self.process.poll() is not None, "the sweep has not ended"
        return seen

    def _wait_for(self, condition: Callable[[], bool]) -> bool:
        """Wait for a condition or the end of the sweep; return True when the condition holds."""

        def is_over() -> bool:
            try:
                return condition() or self.process.poll() is not None
            except subprocess.CalledProcessError:  # a domain was just renamed or ended
                return False

        return wait_until(is_over, SWEEP_S, every_s=_LOOKS_S) and self.process.poll() is None

    def answer(self) -> dict[str, Any]:
        """Return what the sweep reported at its end."""
        out, _ = self.process.communicate(timeout=SWEEP_S)
        return json.loads(out)

    def kill(self) -> None:
        """Kill the sweep; it may have ended."""
        self.process.kill()
        self.process.communicate(timeout=60)


@contextlib.contextmanager
def placed_sweep(dom0: Dom0, plan: Path, others: Mapping[str, str] | None = None) -> Iterator[SweepProcess]:
    """Start a sweep and wait until it has placed the domains; verify the host after the block.

    The host then has its original settings, before and after `domtune restore`, and no record is left.

    Args:
        dom0: The lab's Dom0.
        plan: File of the plan.
        others: Settings of other guests to wait for.
    """
    before = dom0.settings()
    sweep = SweepProcess(plan)
    try:
        sweep.wait_until_placed(dom0, others)
        yield sweep
        assert dom0.settings() == before, dom0.log(BASE)
    finally:
        sweep.kill()
    run_domtune("restore", "--json")
    assert dom0.settings() == before
    assert dom0.state(BASE) == "none"
    assert not list(places.journal_dir().glob("*.json"))


def kill_guard(dom0: Dom0) -> str:
    """Kill the guard; systemd starts another one. Return the number of the killed process."""
    return dom0.run(f"pid=$(cat {BASE}/sweep/pid); kill -KILL $pid; echo $pid").strip()


def run_domtune(*words: str) -> Any:
    """Run a command; return its answer as JSON, if it is JSON."""
    command = [sys.executable, "-m", "scheduler", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SWEEP_S, check=False)
    assert done.returncode == 0, f"{words}: {done.returncode} {done.stdout} {done.stderr}"
    with contextlib.suppress(json.JSONDecodeError):
        return json.loads(done.stdout)

"""How long the paper's protocol takes on the simulated machine: nine splits, ten times, five minutes, both loads."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scheduler.errors import LoadError
from tests.bench.figure import Figure

_LIMIT_S = 300.0
_ROOT = Path(__file__).resolve().parents[2]
_PLAN = "resources/plans/paper-simulated.toml"  # that which users get


def measure() -> list[Figure]:
    """Return the wall time of one whole run, engine and store included."""
    with tempfile.TemporaryDirectory(prefix="domtune-bench-") as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began_s = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "scheduler", "run", _PLAN, "--json", "--quiet"],
            cwd=_ROOT,
            env={**os.environ, "DOMTUNE_HOME": folder},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
        took_s = time.monotonic() - began_s
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise LoadError(f"the sweep ended with {done.returncode}: {done.stderr[-500:]}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    minutes = json.loads(done.stdout)["measured_s"] / 60
    if minutes < 900:
        raise LoadError(f"only {minutes:.0f} simulated minutes came out")
    note = f"({minutes:.0f} simulated minutes, settling included; {cpu_s:.1f} s of CPU)"
    return [Figure(name="replicate on sim:, wall s", value=took_s, at_most=60, note=note)]

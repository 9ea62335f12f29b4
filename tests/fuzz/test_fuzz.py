"""Nothing that others print or send becomes a traceback, a wait of 10 s, or more than 1 GB."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.running import GROUPS
from tests.fuzz.spoiling import spoil_bytes

ROOT = Path(__file__).resolve().parents[2]
CASES = 60  # of each group; `make torture` runs 100,000 in all


@pytest.mark.parametrize("group", GROUPS)
def test_only_errors_of_ours_come_out(group):
    """A process of its own has a memory limit of its own; `python -m tests.fuzz GROUP SEED 1` repeats a finding."""
    command = [sys.executable, "-m", "tests.fuzz", group, "0", str(CASES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    reported = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert reported, f"{group}: ended with {done.returncode}: {done.stderr[-2000:]}"
    assert reported[-1].get("cases") == CASES, (
        f"{group}: ended in the middle with {done.returncode}: {done.stderr[-2000:]}"
    )
    assert reported[:-1] == []


def told_of(program):
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    return [json.loads(line).get("error", "").partition(":")[0] for line in done.stdout.splitlines()]


def test_fuzzer_would_report_a_traceback_and_of_memory():
    program = (
        "from tests.fuzz.running import tell\n"
        "def breaks(rng): return 1 // 0\n"
        "def eats(rng): return bytearray(1 << 31)\n"
        "tell({'breaks': breaks, 'eats': eats}, 0, 2)\n"
    )
    assert told_of(program) == ["ZeroDivisionError", "MemoryError", ""]


def test_fuzzer_would_report_a_wait():
    program = (
        "import re\n"
        "from tests.fuzz import running\n"
        "running.LIMIT_S = 0.2\n"
        "def waits(rng): re.fullmatch(r'(.*?)\\s+(.*?)\\s+(x)?\\s*y', ' ' * 5000)\n"
        "running.tell({'waits': waits}, 0, 1)\n"
    )
    assert told_of(program)[0] == "TooLong"


def test_seed_is_a_case():
    spoilt = [spoil_bytes(Random("x 7"), b"0-3,5 Domain-0 256\n" * 9) for _ in range(2)]
    assert spoilt[0] == spoilt[1]

"""What puts a host back, or tells of one, needs neither numpy nor a driver: nothing of theirs can keep it from that."""

import subprocess
import sys

WORDS = ("restore_command", "revert_command", "apply_command", "probe_command", "trust_command", "runs_command")
HEAVY = {"numpy", "psycopg2", "jinja2", "rich", "PySide6"}


def test_putting_back_and_reporting_load_neither_numpy_nor_a_driver():
    program = f"import sys; from scheduler.commands import parser, {', '.join(WORDS)}; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True).stdout
    assert not HEAVY & set(out.split())

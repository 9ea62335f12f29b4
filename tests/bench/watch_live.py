"""Watches this computer for real: PostgreSQL behind a relay under one of OSDB's loads, from three splits; then sweeps.

python -m tests.bench.watch_live [--kind osdb-ir] [--watch-s 300] [--users 5] [--blocks 3]

At each of 1:5, 1:1 and 5:1 `domtune watch local:` looks on while users work, whose load it did not make. Then the same
load is swept: the nine splits and those that were named. Told: what each named split gave of the best one's rate, and,
where strace is installed, whether watching opened a file to write to. Root.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import apart

_NAME = "domtune-watch-"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kind", default="osdb-ir")
    parser.add_argument("--watch-s", type=int, default=300)
    parser.add_argument("--users", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=3, help="visits of each split in the sweep")
    parser.add_argument("--measure-s", type=int, default=10)
    parser.add_argument("--inside", default="")
    arguments = parser.parse_args()
    if arguments.inside:
        apart._enter(arguments.inside)
        from tests.bench.watch_live_inside import trial

        return trial(arguments)
    if not apart.possible():
        print("not measured: this needs root, and control groups of version 1", file=sys.stderr)
        return 2
    name = f"{_NAME}{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="domtune-watch-") as home:
        Path(home).chmod(0o755)
        words = [sys.executable, "-m", "tests.bench.watch_live", "--inside", name, *sys.argv[1:]]
        try:
            return subprocess.run(words, env={**os.environ, "DOMTUNE_HOME": home}, check=False).returncode
        finally:
            apart._clear(name)


if __name__ == "__main__":
    sys.exit(main())

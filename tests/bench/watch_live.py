"""Watches this computer for real: PostgreSQL behind a relay under one of OSDB's loads, from three splits; then sweeps.

python -m tests.bench.watch_live [--kind osdb-ir] [--watch-s 300] [--users 5] [--blocks 3]

At each of 1:5, 1:1 and 5:1 `domtune watch local:` looks on while users work, whose load it did not make. Then the same
load is swept: the nine splits and those that were named. Told: what each named split gave of the best one's rate, and,
where strace is installed, whether watching opened a file to write to. Root.
"""

import argparse
import sys

from tests.bench.own_groups import run


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kind", default="osdb-ir")
    parser.add_argument("--watch-s", type=int, default=300)
    parser.add_argument("--users", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=3, help="trials of each split in the sweep")
    parser.add_argument("--measure-s", type=int, default=10)
    return run(parser, "tests.bench.watch_live", "tests.bench.watch_live_inside", "domtune-watch-")


if __name__ == "__main__":
    sys.exit(main())

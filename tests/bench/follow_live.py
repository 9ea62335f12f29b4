"""Follows this computer for real: PostgreSQL behind a relay, users who turn from *bulk* to *compute* and back.

python -m tests.bench.follow_live [--blocks 6] [--turn-s 240] [--cpus 0.4] [--users 8]

Each block is one epoch of following and one of the static split (1:1), of two minutes each, the first half minute of
each not counted; each turn of the load has one block. Told: what a unit of work costs each domain under both kinds,
how long following took to go the right way, F - S over the blocks, and whether everything reads as before. Root.
"""

import argparse
import sys

from tests.bench.own_groups import run


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--turn-s", type=float, default=240.0)
    parser.add_argument("--cpus", type=float, default=0.4, help="what both domains have together")
    parser.add_argument("--users", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    return run(parser, "tests.bench.follow_live", "tests.bench.follow_live_inside", "domtune-live-")


if __name__ == "__main__":
    sys.exit(main())

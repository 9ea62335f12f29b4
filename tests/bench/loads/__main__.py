"""`python -m tests.bench.loads [WORD ...]`: compare our users with other programs; WORD picks cases by their names."""

import argparse
import sys
from collections.abc import Sequence

from tests.bench.loads.compare import PAIRS, SECONDS, USERS, measure


def main(words: Sequence[str]) -> int:
    """Print the figures as they come; return 1 when a promise is not kept or not measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.loads", description=__doc__)
    parser.add_argument("word", nargs="*", help="only cases whose names have it, for example PostgreSQL or 'IR on'")
    parser.add_argument("--rounds", type=int, default=PAIRS, help="pairs of turns (%(default)s)")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="length of a turn (%(default)s)")
    parser.add_argument("--users", default=",".join(map(str, USERS)), help="numbers of users (%(default)s)")
    asked = parser.parse_args(words)
    users = tuple(int(number) for number in asked.users.split(","))
    fine = True
    for figure in measure(asked.word, users, asked.rounds, asked.seconds):
        print(figure.line, flush=True)
        fine = fine and figure.fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Deaths of core, window and both, and whether the window then says what is true.

Each is killed --rounds times at a random moment, under an X server if there is one. Ends with 0 only when all
that the window said was true, and nothing is left. Pictures of what it said are kept in --pictures.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests import apart
from tests.crash.truth import VICTIMS, run_round


def main() -> int:
    """Run the rounds and print a line per death."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--victims", nargs="+", default=VICTIMS, choices=VICTIMS)
    parser.add_argument("--host", default="local:")
    parser.add_argument("--longest-s", type=float, default=14.0, help="latest moment of a death")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pictures", type=Path, default=Path("build/truth"))
    parser.add_argument("--apart", default="", help="in control groups of its own, of this name, beside other work")
    arguments = parser.parse_args()
    if arguments.apart:
        apart._enter(arguments.apart)
    dice, bad, armed, ran = random.Random(arguments.seed), 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="domtune-truth-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # the embedded server runs as an account of its own
        host = arguments.host if arguments.host != "fake:" else f"fake:{home / 'host.json'}"
        for number in range(arguments.rounds * len(arguments.victims)):
            victim = arguments.victims[number % len(arguments.victims)]
            pictures = arguments.pictures.absolute() / f"{number:03d}-{victim}"
            truth = run_round(home, host, victim, dice.uniform(0.0, arguments.longest_s), pictures)
            bad, armed, ran = bad + bool(truth.problems), armed + truth.armed, ran + 1
            verdict = "; ".join(truth.problems) or "true"
            print(f"{number:4d} {victim:7s} {truth.after_s:6.2f} s  {truth.row!r}: {verdict}", flush=True)
    print(f"{ran - bad} of {ran} true and as found; {armed} were due until Restore now was pressed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

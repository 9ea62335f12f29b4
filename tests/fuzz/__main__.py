"""`python -m tests.fuzz GROUP FIRST COUNT`: run the cases of some seeds; exit code 1 when something was found."""

import logging
import sys
from importlib import import_module

from tests.fuzz.running import tell

if __name__ == "__main__":
    logging.disable()  # what is told of each case is what came out of it
    group, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sys.exit(min(1, tell(import_module(f"tests.fuzz.{group}").TARGETS, first, count)))

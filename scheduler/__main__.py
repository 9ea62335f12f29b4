"""`python -m scheduler WORD`: DomTune without a window; `domtune WORD` is the same."""

import sys

from scheduler.commands.words import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

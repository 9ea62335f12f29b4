"""`domtune` for which half a second is a long time: `python -m tests.crash.stopped_run COMMAND...`."""

import sys

from scheduler.commands.parser import main
from scheduler.run import time_gaps

if __name__ == "__main__":
    time_gaps.STOPPED_S = 0.5
    sys.exit(main(sys.argv[1:]))

"""Command line of DomTune as a module: `python -m scheduler COMMAND`.

The installed `domtune COMMAND` is the same.
"""

import sys

from scheduler.children import drop_relative_folders
from scheduler.commands.parser import main

if __name__ == "__main__":
    drop_relative_folders()
    sys.exit(main(sys.argv[1:]))

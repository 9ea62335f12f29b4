"""The suite leaves the files of whoever runs it alone: what a test forgets to place goes with the suite."""

import atexit
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


def _home_of_the_suite() -> None:
    """Give what has no home of its own one that goes with the suite: a thread that outlives its test, for example."""
    if os.environ.get("DOMTUNE_HOME"):  # of a lab; or of the process whose worker this is
        return
    folder = os.environ["DOMTUNE_HOME"] = tempfile.mkdtemp(prefix="domtune-suite-")
    Path(folder).chmod(0o755)  # a server's account must be able to enter
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


_home_of_the_suite()


@pytest.fixture(autouse=True)
def _no_log_stays() -> Iterator[None]:
    """A command that is called in this process logs to a file, which would get the lines of all tests after it."""
    root = logging.getLogger()
    before, level, raises = root.handlers[:], root.level, logging.raiseExceptions
    yield
    for handler in [each for each in root.handlers if each not in before]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)
    logging.raiseExceptions = raises

"""Runs a trial on `local:` in control groups and a home of its own: whatever else this computer does is left alone."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from tests import apart


def run(parser: argparse.ArgumentParser, module: str, inside: str, prefix: str) -> int:
    """Parse the arguments; run `trial` of a module in a process that is inside such groups, and return what it returns.

    Args:
        parser: Of the arguments.
        module: Which is run again, inside.
        inside: Which has `trial`; imported there.
        prefix: Of the groups' and the home's names.
    """
    parser.add_argument("--inside", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        apart._enter(arguments.inside)
        trial: Callable[[argparse.Namespace], int] = import_module(inside).trial
        return trial(arguments)
    if not apart.possible():
        print("not measured: this needs root, and control groups of version 1", file=sys.stderr)
        return 2
    name = f"{prefix}{os.getpid()}"
    with tempfile.TemporaryDirectory(prefix=prefix) as home:
        Path(home).chmod(0o755)
        words = [sys.executable, "-m", module, "--inside", name, *sys.argv[1:]]
        try:
            return subprocess.run(words, env={**os.environ, "DOMTUNE_HOME": home}, check=False).returncode
        finally:
            apart._clear(name)

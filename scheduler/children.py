"""What every process that we start has in common: no module out of the current folder, no password of ours."""

import os
import re
import site
import sys
from pathlib import Path

_SECRET_VARIABLE = re.compile(r"DOMTUNE_\w*PASSWORD|PGPASSWORD")
_ROOT = str(Path(__file__).parent.parent)


def python_module(module: str, *words: str) -> list[str]:
    """Return the command line that runs one of our modules with this interpreter.

    `-P`: without it `python -m` looks for every module in the current folder first, and whoever may write there
    (`cd /tmp`) would run with our rights.
    """
    return [sys.executable, "-P", "-m", module, *words]


def python_script(path: Path, *words: str, python: str = "") -> list[str]:
    """Return the command line that runs a file that imports the standard library only (`-I`), and no packages (`-S`).

    Args:
        path: The file.
        words: Its arguments.
        python: Another interpreter than ours, with its packages: the file may import those.
    """
    return [python, "-I", str(path), *words] if python else [sys.executable, "-I", "-S", str(path), *words]


def environment_without_secrets() -> dict[str, str]:
    """Return our environment without any password: what a program needs, it is given by itself."""
    return {name: value for name, value in os.environ.items() if not _SECRET_VARIABLE.fullmatch(name)}


def python_environment() -> dict[str, str]:
    """Return the same for a module of ours, findable where the product runs from a source tree, not installed."""
    return {**environment_without_secrets(), **path_to_us()}


def our_environment() -> dict[str, str]:
    """Return ours whole, for another process of this program that goes on where we end: passwords are for it."""
    return {**os.environ, **path_to_us()}


def path_to_us() -> dict[str, str]:
    """Return the variable that a child needs to find this product; empty when it is installed (editable or not)."""
    installed = {*site.getsitepackages(), site.getusersitepackages()}
    if _ROOT in installed or _ROOT not in sys.path:
        return {}
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path not in {"", _ROOT}]
    return {"PYTHONPATH": os.pathsep.join([_ROOT, *others])}

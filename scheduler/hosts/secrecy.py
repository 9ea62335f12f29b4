"""Passwords that scripts and the window hand to us in the environment, and keeping them from what we start."""

import os
import re

_SECRET_VARIABLE = re.compile(r"DOMTUNE_\w*PASSWORD|PGPASSWORD")


def environment_without_secrets() -> dict[str, str]:
    """Return our environment without any password: what a program needs, it is given by itself."""
    return {name: value for name, value in os.environ.items() if not _SECRET_VARIABLE.fullmatch(name)}

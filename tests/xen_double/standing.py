"""A doubled Xen host where the product looks for one."""

import os
from pathlib import Path

import pytest

from tests.xen_double.state import Double


def stand_up(folder: Path, patch: pytest.MonkeyPatch, **changes: object) -> Double:
    """Make a host in a folder, with a home and the guard's folder beside it."""
    double = Double(folder / "xen")
    double.install(**changes)
    patch.setenv("DOMTUNE_HOME", str(folder / "home"))
    patch.setenv("DOMTUNE_XEN_SBIN", str(double.sbin))
    patch.setenv("DOMTUNE_GUARD_RUN", str(folder / "run"))
    patch.setenv("PATH", f"{double.sbin}:{os.environ['PATH']}")
    patch.setattr("scheduler.hosts.xen.host_survey.LOOK_S", 0.1)  # nobody else makes noise on a double
    return double

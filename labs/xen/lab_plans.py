"""The URLs of the Xen lab, and plans that are ready to run there."""

from collections.abc import Sequence
from pathlib import Path

from labs.xen.dom0 import DOM0
from labs.xen.lab_record import LabRecord

HOST_URL = f"xl+ssh://root@{DOM0}"

# RTDS has no weights to compare with, and each load would report that.
_MODES = {"rtds": '["caps"]'}
_SWEEP = """# A sweep of the lab's Dom0 and one guest. `domtune run {path}`
# runs it unchanged after this step. Put at the top of ~/.ssh/config:
# Include {ssh_config}
# This is emulation: the order of the splits is worth a look, the rates are not.
name = "The Xen lab"
host = "{host}"
mode = "caps"
splits = ["1:3", "1:1", "3:1"]
protocol = "grid"
repeats = 3                     # the fewest with intervals
measure_s = 20

[domains]
guest = "db1"

[[load]]
kind = "osdb-ir"
users = 5
tuples = 2000
database = "{first}"
"""
_ISOLATION = """# Do the lab's two guests disturb each other? `domtune run {path}`
# runs it unchanged after this step. Put at the top of ~/.ssh/config:
# Include {ssh_config}
# This is emulation: what a guest loses is worth a look, its rates are not.
name = "Two guests of the Xen lab"
host = "{host}"
study = "isolation"
splits = ["2:1:1"]              # I/O domain : guest : second guest
modes = {modes}
repeats = 3                     # the fewest with intervals
measure_s = 20
second_database = "{second}"

[domains]
guest = "db1"
guest_2 = "db2"

[[load]]
kind = "osdb-ir"
users = 2
tuples = 2000
database = "{first}"
"""


def database_urls(record: LabRecord) -> tuple[str, ...]:
    """Return the URLs of the guests' databases for plans, the first guest's first."""
    found = (record.ports.get(name) for name in ("postgresql", "postgresql-2")[: record.guests])
    return tuple(f"postgresql://osdb@127.0.0.1:{port or 0}/osdb" for port in found)


def sweep_path(folder: Path) -> Path:
    """Return the file of the plan for a sweep."""
    return folder / "plan.toml"


def isolation_path(folder: Path) -> Path:
    """Return the file of the plan for two guests."""
    return folder / "isolation.toml"


def write_plans(folder: Path, record: LabRecord) -> None:
    """Write a plan that sweeps the lab, and with two guests one that studies both.

    Args:
        folder: The running lab's folder.
        record: The lab.
    """
    urls = database_urls(record)
    _write_plan(sweep_path(folder), _SWEEP, record, urls)
    if record.guests > 1:
        _write_plan(isolation_path(folder), _ISOLATION, record, urls)


def _write_plan(path: Path, template: str, record: LabRecord, urls: Sequence[str]) -> None:
    """Write one plan.

    Args:
        path: The file, in the running lab's folder.
        template: Text of the plan.
        record: The lab.
        urls: URLs of the guests' databases, the first guest's first.
    """
    text = template.format(
        path=path,
        ssh_config=path.parent / "ssh_config",
        host=HOST_URL,
        modes=_MODES.get(record.scheduler, '["caps", "weights"]'),
        first=urls[0],
        second=urls[-1],
    )
    path.write_text(text, "utf-8")


def suggest_plan(folder: Path, record: LabRecord) -> str:
    """Return the advice to run the lab's plan.

    Args:
        folder: The running lab's folder.
        record: The lab.
    """
    known = f"once ~/.ssh/config includes {folder / 'ssh_config'}"
    if record.guests > 1:
        return f"Study both guests, {known}: domtune run {isolation_path(folder)}"
    return f"Sweep it, {known}: domtune run {sweep_path(folder)}"

"""The URLs of the Xen lab, and a plan for its two guests."""

from pathlib import Path

from labs.xen.dom0 import DOM0
from labs.xen.lab_record import LabRecord

HOST_URL = f"xl+ssh://root@{DOM0}"

# RTDS has no weights to compare with, and each load would report that.
_MODES = {"rtds": '["caps"]'}
_PLAN = """# Do the lab's two guests disturb each other? `domtune run {path}`
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


def plan_path(folder: Path) -> Path:
    """Return the file of the plan for two guests."""
    return folder / "isolation.toml"


def write_plan(folder: Path, record: LabRecord) -> None:
    """Write a plan that studies both guests of the lab.

    Args:
        folder: The running lab's folder.
        record: The lab.
    """
    first, second = database_urls(record)
    path = plan_path(folder)
    text = _PLAN.format(
        path=path,
        ssh_config=folder / "ssh_config",
        host=HOST_URL,
        modes=_MODES.get(record.scheduler, '["caps", "weights"]'),
        first=first,
        second=second,
    )
    path.write_text(text, "utf-8")


def study_hint(folder: Path, record: LabRecord) -> str:
    """Return the advice for a lab with two guests; empty for one guest.

    Args:
        folder: The running lab's folder.
        record: The lab.
    """
    if record.guests == 1:
        return ""
    return f"Study both guests, once ~/.ssh/config includes {folder / 'ssh_config'}: domtune run {plan_path(folder)}"

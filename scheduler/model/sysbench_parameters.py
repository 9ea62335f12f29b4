"""Parameters of the load `sysbench`."""

from scheduler.model.parameters import Parameter
from scheduler.translation import _

SYSBENCH_PARAMETERS = (
    Parameter(
        name="script",
        title=_("Script"),
        help=_("Script of sysbench that the users run."),
        default="read-write",
        choices=("read-write", "read-only", "write-only", "point-select"),
    ),
    Parameter(
        name="tables",
        title=_("Tables"),
        help=_("Number of tables; each statement uses one."),
        default=4,
        low=1,
        high=64,
    ),
    Parameter(
        name="table_size",
        title=_("Rows"),
        help=_("Rows per table, about 250 bytes each."),
        default=25_000,
        low=1_000,
        high=10_000_000,
        step=1_000,
        unit=_("per table"),
    ),
)
"""Parameters of the load."""

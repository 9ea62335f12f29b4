"""Parameters of the loads `bulk` and `compute`."""

from scheduler.model.parameters import Parameter
from scheduler.translation import _

BULK_PARAMETERS = (
    Parameter(
        name="table_size",
        title=_("Table"),
        help=_("Rows of the table, 1 kB each."),
        default=10_000,
        low=1_000,
        high=100_000,  # the check reads all rows before and after each block
        step=1_000,
        unit=_("rows of 1 kB"),
    ),
    Parameter(
        name="rows",
        title=_("At a time"),
        help=_("Adjacent rows that one operation fetches."),
        default=200,
        low=1,
        high=1_000,
        unit="rows",
    ),
)
"""Parameters of `bulk`."""

COMPUTE_PARAMETERS = (
    Parameter(
        name="rows",
        title=_("Summed up"),
        help=_("Rows that one operation generates and adds up."),
        default=60_000,
        low=1_000,
        high=1_000_000,
        step=1_000,
        unit="rows",
    ),
)
"""Parameters of `compute`."""

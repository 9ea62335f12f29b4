"""Parameters of the load `tpch`."""

from scheduler.model.parameters import Parameter
from scheduler.translation import _

COLD_PARAMETER = "cold"
"""Name of the parameter that restarts the database before each query."""

RECONNECT_PARAMETER = "reconnect"
"""Name of the parameter that opens a new connection for each query."""

TPCH_PARAMETERS = (
    Parameter(
        name="scale",
        title=_("Scale"),
        help=_("Size of the data: 1 is 1.65 GB with indexes."),
        default=0.1,
        low=0.01,
        high=100.0,  # 165 GB
        unit="x 1.65 GB",
    ),
    Parameter(
        name="limit_s",
        title=_("Limit of a query"),
        help=_("Seconds after which the server ends a query; its trial is discarded."),
        default=60,
        low=1,
        high=3_600,
        unit="s",
    ),
    Parameter(
        name=COLD_PARAMETER,
        title=_("Cold"),
        help=_(
            "Restart the database before each query, with none of its files in memory. Needs one user and a "
            "built-in database."
        ),
        default=False,
    ),
    Parameter(
        name=RECONNECT_PARAMETER,
        title=_("New connection"),
        help=_(
            "Open a new connection for each query, so that its server process begins with no page mapped. Query times "
            "exclude the connection."
        ),
        default=False,
    ),
)
"""Parameters of the load."""

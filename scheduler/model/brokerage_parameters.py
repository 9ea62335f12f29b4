"""Parameters of the load `brokerage`."""

from scheduler.model.parameters import Parameter
from scheduler.translation import _

BROKERAGE_PARAMETERS = (
    Parameter(
        name="customers",
        title=_("Customers"),
        help=_("Number of customers, each with five accounts and 200 trades; about 0.2 MB per customer."),
        default=1_000,
        low=100,  # customers of one broker
        high=5_000,  # a million trades, restored before each block
        step=100,
    ),
    Parameter(
        name="isolation",
        title=_("Isolation"),
        help=_("Isolation level of all transactions; above read-committed some transactions are repeated."),
        default="read-committed",
        choices=("read-committed", "repeatable-read"),  # serializable: 1 of 25 operations failed (PostgreSQL)
    ),
)
"""Parameters of the load."""

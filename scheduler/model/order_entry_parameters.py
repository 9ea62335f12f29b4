"""Parameters of the load `order-entry`."""

from scheduler.model.parameters import Parameter
from scheduler.translation import _

ORDER_ENTRY_PARAMETERS = (
    Parameter(
        name="warehouses",
        title=_("Warehouses"),
        help=_(
            "Number of warehouses, about 250 MB and 10 users each. With more users than warehouses, users wait "
            "for each other."
        ),
        default=2,
        low=1,
        high=100,  # loading takes half an hour, and each block restores the tables
    ),
    Parameter(
        name="customers",
        title=_("Customers"),
        help=_("Customers per district; a warehouse has 10 districts."),
        default=3_000,
        low=30,
        high=3_000,
        step=10,
        unit=_("per district"),
    ),
    Parameter(
        name="items",
        title=_("Items"),
        help=_("Number of items that can be ordered, each in stock in each warehouse."),
        default=100_000,
        low=100,
        high=100_000,
        step=100,
    ),
    Parameter(
        name="isolation",
        title=_("Isolation"),
        help=_("Isolation level of all transactions; above read-committed many transactions are repeated."),
        default="read-committed",
        choices=("read-committed", "repeatable-read", "serializable"),
    ),
    Parameter(
        name="procedures",
        title=_("Procedures"),
        help=_(
            "Run a transaction as one call; with false its statements go over the network: more for the I/O domain."
        ),
        default=True,
        databases=("postgresql",),
    ),
)
"""Parameters of the load; 3,000 customers and 100,000 items are the values of TPC-C."""

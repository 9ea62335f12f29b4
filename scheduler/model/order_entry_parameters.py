"""Parameters of the load `order-entry`."""

from scheduler.model.parameters import Parameter

ORDER_ENTRY_PARAMETERS = (
    Parameter(
        name="warehouses",
        title="Warehouses",
        help="About 250 MB each, for 10 users at most; if fewer than users, these wait for each other.",
        default=2,
        low=1,
        high=100,  # loading takes half an hour, and each block restores the tables
    ),
    Parameter(
        name="customers",
        title="Customers",
        help="Per district, of which a warehouse has 10.",
        default=3_000,
        low=30,
        high=3_000,
        step=10,
        unit="per district",
    ),
    Parameter(
        name="items",
        title="Items",
        help="That can be ordered, and are in stock in each warehouse.",
        default=100_000,
        low=100,
        high=100_000,
        step=100,
    ),
    Parameter(
        name="isolation",
        title="Isolation",
        help="Of all transactions; above read-committed many are repeated.",
        default="read-committed",
        choices=("read-committed", "repeatable-read", "serializable"),
    ),
    Parameter(
        name="procedures",
        title="Procedures",
        help="A transaction is one call; without, its statements go over the network: more for the I/O domain.",
        default=True,
        databases=("postgresql",),
    ),
)
"""Parameters of the load; 3,000 customers and 100,000 items are the values of TPC-C."""

"""Sizes and names of the order entry tables."""

from collections.abc import Mapping

import msgspec

from scheduler.model.parameters import ParameterValue

FORMAT = "2"
"""Format of the tables. Raise it when tables of an older version must not be used again."""

DISTRICTS = 10
"""Districts per warehouse."""

LAST_NAMES = 1000
"""Largest number of different last names."""

CHANGED = ("warehouse", "district", "customer", "history", "orders", "new_order", "order_line", "stock")
"""Tables that transactions change. Each has a copy of its loaded rows."""

TABLES = (*CHANGED, "item")


class OrderEntrySize(msgspec.Struct, frozen=True):
    """Size of a database.

    Attributes:
        warehouses: Number of warehouses. All tables but the items have their rows once per warehouse.
        customers: Customers per district, and also initial orders per district.
        items: Number of items. Each warehouse has a stock of each item.
    """

    warehouses: int
    customers: int
    items: int

    @property
    def schema(self) -> str:
        """Name of the schema of the tables (on MariaDB: the database)."""
        return f"domtune_order_entry_{self.warehouses}"

    @property
    def open_orders(self) -> int:
        """Number of undelivered initial orders per district: 900 of 3,000, the last ones."""
        return self.customers * 3 // 10

    @property
    def last_names(self) -> int:
        """Number of different last names. The first customers of a district have one each."""
        return min(LAST_NAMES, self.customers)

    def named(self, statement: str) -> str:
        """Return a statement with the schema in place of `@.`."""
        return statement.replace("@.", self.schema + ".")


def order_entry_size(values: Mapping[str, ParameterValue]) -> OrderEntrySize:
    """Return the size from a load's parameters."""
    return OrderEntrySize(int(values["warehouses"]), int(values["customers"]), int(values["items"]))

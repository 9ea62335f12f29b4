"""How many rows there are, and what the tables are called."""

from collections.abc import Mapping

import msgspec

from scheduler.model.parameters import ParameterValue

FORMAT = "2"
"""Raised when tables made by an older version must not be used again."""

DISTRICTS = 10
"""Of a warehouse."""

LAST_NAMES = 1000
"""Different last names, at most."""

CHANGED = ("warehouse", "district", "customer", "history", "orders", "new_order", "order_line", "stock")
"""What transactions change; of each there is a copy as it was loaded."""

TABLES = (*CHANGED, "item")


class OrderEntrySize(msgspec.Struct, frozen=True):
    """Size of a database.

    Attributes:
        warehouses: Everything but the items is there once per warehouse.
        customers: Of a district, which begins with as many orders.
        items: That can be ordered; each warehouse has a stock of each.
    """

    warehouses: int
    customers: int
    items: int

    @property
    def schema(self) -> str:
        """Name of the schema (on MariaDB of the database) that has the tables."""
        return f"domtune_order_entry_{self.warehouses}"

    @property
    def open_orders(self) -> int:
        """How many of a district's first orders are not delivered yet, the last ones: 900 of 3,000."""
        return self.customers * 3 // 10

    @property
    def last_names(self) -> int:
        """How many of the last names there are: the first customers of a district have one each."""
        return min(LAST_NAMES, self.customers)

    def named(self, statement: str) -> str:
        """Return a statement with its `@.` replaced by the schema."""
        return statement.replace("@.", self.schema + ".")


def order_entry_size(values: Mapping[str, ParameterValue]) -> OrderEntrySize:
    """Return the size that a load's parameters ask for."""
    return OrderEntrySize(int(values["warehouses"]), int(values["customers"]), int(values["items"]))

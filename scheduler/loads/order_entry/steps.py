"""The five transactions, statement by statement, for any database.

This sends more over the network than server functions do.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from scheduler.databases.protocols import Row, TransactionSession
from scheduler.loads.order_entry.inputs import (
    DeliveryInput,
    NewOrderInput,
    OrderEntryInput,
    OrderLine,
    OrderStatusInput,
    PaymentInput,
    StockLevelInput,
)
from scheduler.loads.order_entry.order_entry_schema import ORDER_TABLES
from scheduler.loads.order_entry.size import DISTRICTS, OrderEntrySize
from scheduler.loads.transaction_outcome import UNDONE, RowNotFound, SerializationConflict

_STOCKS = "s_w_id = supplier AND s_i_id = item"
# s_quantity comes first, because MariaDB assigns from left to right: its new value depends on old values.
_TAKEN = (
    "s_quantity = s_quantity - pieces + CASE WHEN s_quantity >= pieces + 10 THEN 0 ELSE 91 END,"
    " s_ytd = s_ytd + pieces, s_order_cnt = s_order_cnt + 1,"
    " s_remote_cnt = s_remote_cnt + CASE WHEN supplier = {home} THEN 0 ELSE 1 END"
)
_ORDERS_LOOKED_AT = 20
_HISTORY = f"@.history ({', '.join(ORDER_TABLES['history'].column_names)})"  # without the column that numbers its rows


class OrderEntrySteps:
    """Transactions of one user, statement by statement.

    Args:
        user: The user's connection.
        size: Size of the database.
        database: Kind of database, for the few statements that differ.
    """

    def __init__(self, user: TransactionSession, size: OrderEntrySize, database: str) -> None:
        self._user = user
        self._size = size
        self._returning = database == "postgresql"

    def run(self, asked: OrderEntryInput) -> str:
        """Run one transaction; return an empty text after a commit, else the outcome.

        Raises:
            RowNotFound: A row that must exist is missing.
            SerializationConflict: Another user changed the rows first.
        """
        how = ""
        match asked:
            case NewOrderInput():
                how = self._run_new_order(asked)
            case PaymentInput():
                self._run_payment(asked)
            case OrderStatusInput():
                self._run_order_status(asked)
            case DeliveryInput():
                self._run_delivery(asked)
            case StockLevelInput():
                self._run_stock_level(asked)
        if how:
            self._user.undo()
        else:
            self._user.commit()
        return how

    def _run_new_order(self, order: NewOrderInput) -> str:
        home, lines = order.warehouse, order.lines
        at = f"{home}, {order.district}, {self._next_number(order)}"
        who = f"c_w_id = {home} AND c_d_id = {order.district} AND c_id = {order.customer}"
        self._query_one(f"SELECT w_tax, c_discount FROM @.warehouse, @.customer WHERE w_id = {home} AND {who}")
        local = int(all(line.supplier == home for line in lines))
        self._change_rows(
            f"INSERT INTO @.orders VALUES ({at}, {order.customer}, NULL, {len(lines)}, {local}, current_timestamp)"
        )
        self._change_rows(f"INSERT INTO @.new_order VALUES ({at})")
        items = ",".join(str(line.item) for line in lines)
        prices = _second_by_first(self._query_rows(f"SELECT i_id, i_price FROM @.item WHERE i_id IN ({items})"))
        keys = ",".join(f"({line.supplier},{line.item})" for line in lines)
        stocks = self._query_rows(
            f"SELECT s_w_id, s_i_id, s_dist_{order.district:02} FROM @.stock WHERE (s_w_id, s_i_id) IN ({keys})"
            " ORDER BY s_w_id, s_i_id FOR UPDATE"
        )
        infos = {(int(row[0]), int(row[1])): str(row[2]) for row in stocks}
        self._change_rows(self._stock_update(order))
        known = [line for line in lines if line.item in prices and (line.supplier, line.item) in infos]
        if len(known) != len(lines) - order.undone:
            raise RowNotFound(f"an order of {len(lines)} lines found the stocks of {len(known)}")
        self._change_rows(_order_lines(at, known, prices, infos))
        return UNDONE if order.undone else ""

    def _next_number(self, order: NewOrderInput) -> int:
        where = f"d_w_id = {order.warehouse} AND d_id = {order.district}"
        change = f"UPDATE @.district SET d_next_o_id = d_next_o_id + 1 WHERE {where}"
        if self._returning:
            return self._query_one(f"{change} RETURNING d_next_o_id - 1, d_tax")[0]
        number = self._query_one(f"SELECT d_next_o_id, d_tax FROM @.district WHERE {where} FOR UPDATE")[0]
        self._change_rows(change)
        return number

    def _stock_update(self, order: NewOrderInput) -> str:
        taken = _TAKEN.format(home=order.warehouse)
        if self._returning:
            lines = ",".join(f"({line.supplier},{line.item},{line.pieces})" for line in order.lines)
            return f"UPDATE @.stock SET {taken} FROM (VALUES {lines}) AS line (supplier, item, pieces) WHERE {_STOCKS}"
        first, *others = (f"{line.supplier} {{}},{line.item} {{}},{line.pieces} {{}}" for line in order.lines)
        parts = [first.format("AS supplier", "AS item", "AS pieces"), *(other.format("", "", "") for other in others)]
        return f"UPDATE @.stock JOIN (SELECT {' UNION ALL SELECT '.join(parts)}) AS line ON {_STOCKS} SET {taken}"

    def _run_payment(self, asked: PaymentInput) -> None:
        at, amount = f"{asked.district}, {asked.warehouse}", f"{asked.cents // 100}.{asked.cents % 100:02}"
        warehouse = f"w_id = {asked.warehouse}"
        district = f"d_w_id = {asked.warehouse} AND d_id = {asked.district}"
        names = self._query_one(f"SELECT w_name, d_name FROM @.warehouse, @.district WHERE {warehouse} AND {district}")
        customer = self._find_customer(asked.home, asked.home_district, asked.customer, asked.last)
        said = f"concat_ws(' ', c_id, c_d_id, c_w_id, {at}, {amount}, c_data)"
        self._change_one(
            f"UPDATE @.customer SET c_balance = c_balance - {amount}, c_ytd_payment = c_ytd_payment + {amount},"
            f" c_payment_cnt = c_payment_cnt + 1,"
            f" c_data = CASE WHEN c_credit = 'BC' THEN left({said}, 500) ELSE c_data END"
            f" WHERE c_w_id = {asked.home} AND c_d_id = {asked.home_district} AND c_id = {customer}"
        )
        self._change_rows(
            f"INSERT INTO {_HISTORY} VALUES ({customer}, {asked.home_district}, {asked.home}, {at}, current_timestamp,"
            f" {amount}, {_quote_text('    '.join(names))})"
        )
        # District and warehouse come last, because all their payments wait for these rows. So the locks are held for
        # two or three round trips, not seven. All payments take these locks in one order and need no customer's row
        # afterwards.
        self._change_one(f"UPDATE @.district SET d_ytd = d_ytd + {amount} WHERE {district}")
        self._change_one(f"UPDATE @.warehouse SET w_ytd = w_ytd + {amount} WHERE {warehouse}")

    def _run_order_status(self, asked: OrderStatusInput) -> None:
        customer = self._find_customer(asked.warehouse, asked.district, asked.customer, asked.last)
        of_district = f"o_w_id = {asked.warehouse} AND o_d_id = {asked.district}"
        number, *_ = self._query_one(
            f"SELECT o_id, o_entry_d, o_carrier_id FROM @.orders WHERE {of_district} AND o_c_id = {customer}"
            " ORDER BY o_id DESC LIMIT 1"
        )
        self._query_one(
            "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM @.order_line"
            f" WHERE ol_w_id = {asked.warehouse} AND ol_d_id = {asked.district} AND ol_o_id = {number}"
        )

    def _find_customer(self, warehouse: int, district: int, number: int, last: str) -> int:
        """Return the customer's number.

        Of several customers with one last name, the middle one by first name is used (2.5.2.2).
        """
        where = f"c_w_id = {warehouse} AND c_d_id = {district}"
        columns = "SELECT c_id, c_balance, c_first, c_middle, c_last FROM @.customer WHERE"
        if number:
            return self._query_one(f"{columns} {where} AND c_id = {number}")[0]
        found = self._query_rows(f"{columns} {where} AND c_last = '{last}' ORDER BY c_first")
        if not found:
            raise RowNotFound(f"no customer in district {district} of warehouse {warehouse} is called {last}")
        return found[(len(found) - 1) // 2][0]

    def _run_delivery(self, asked: DeliveryInput) -> None:
        oldest = (
            f"SELECT * FROM (SELECT no_d_id, no_o_id FROM @.new_order WHERE no_w_id = {asked.warehouse}"
            f" AND no_d_id = {district} ORDER BY no_o_id LIMIT 1) AS oldest_{district}"
            for district in range(1, DISTRICTS + 1)
        )
        found = sorted((int(row[0]), int(row[1])) for row in self._query_rows(" UNION ALL ".join(oldest)))
        if not found:
            return
        keys = ",".join(f"({asked.warehouse},{district},{number})" for district, number in found)
        if self._change_rows(f"DELETE FROM @.new_order WHERE (no_w_id, no_d_id, no_o_id) IN ({keys})") != len(found):
            raise SerializationConflict
        of_orders = f"(o_w_id, o_d_id, o_id) IN ({keys})"
        of_lines = f"(ol_w_id, ol_d_id, ol_o_id) IN ({keys})"
        customers = _second_by_first(self._query_rows(f"SELECT o_d_id, o_c_id FROM @.orders WHERE {of_orders}"))
        self._change_rows(f"UPDATE @.orders SET o_carrier_id = {asked.carrier} WHERE {of_orders}")
        amounts = _second_by_first(
            self._query_rows(f"SELECT ol_d_id, sum(ol_amount) FROM @.order_line WHERE {of_lines} GROUP BY ol_d_id")
        )
        self._change_rows(f"UPDATE @.order_line SET ol_delivery_d = current_timestamp WHERE {of_lines}")
        owed = " ".join(f"WHEN {district} THEN {amounts[district]}" for district in customers)
        who = ",".join(f"({asked.warehouse},{district},{customer})" for district, customer in customers.items())
        changed = self._change_rows(
            f"UPDATE @.customer SET c_balance = c_balance + CASE c_d_id {owed} END,"
            f" c_delivery_cnt = c_delivery_cnt + 1 WHERE (c_w_id, c_d_id, c_id) IN ({who})"
        )
        if changed != len(found):
            raise RowNotFound(f"the orders {keys} are of {changed} customers")

    def _run_stock_level(self, asked: StockLevelInput) -> None:
        district = f"d_w_id = {asked.warehouse} AND d_id = {asked.district}"
        number = self._query_one(f"SELECT d_next_o_id FROM @.district WHERE {district}")[0]
        self._query_one(
            f"SELECT count(DISTINCT s_i_id) FROM @.order_line JOIN @.stock ON s_w_id = {asked.warehouse}"
            f" AND s_i_id = ol_i_id WHERE ol_w_id = {asked.warehouse} AND ol_d_id = {asked.district}"
            f" AND ol_o_id >= {number - _ORDERS_LOOKED_AT} AND ol_o_id < {number} AND s_quantity < {asked.least}"
        )

    def _query_rows(self, statement: str) -> Sequence[Row]:
        return self._user.rows(self._size.named(statement).encode("ascii"))

    def _query_one(self, statement: str) -> Row:
        found = self._query_rows(statement)
        if not found:
            raise RowNotFound(f"no row came back for {statement}")
        return found[0]

    def _change_rows(self, statement: str) -> int:
        return self._user.change(self._size.named(statement).encode("ascii"))

    def _change_one(self, statement: str) -> None:
        if self._change_rows(statement) != 1:
            raise RowNotFound(f"no row was changed by {statement}")


def _order_lines(
    at: str, lines: Sequence[OrderLine], prices: Mapping[int, Decimal], infos: Mapping[tuple[int, int], str]
) -> str:
    """Return the statement that inserts the lines of an order."""
    rows = (
        f"({at},{number},{line.item},NULL,{prices[line.item] * line.pieces},{line.supplier},{line.pieces},"
        f"{_quote_text(infos[line.supplier, line.item])})"
        for number, line in enumerate(lines, start=1)
    )
    return f"INSERT INTO @.order_line VALUES {','.join(rows)}"


def _second_by_first(rows: Sequence[Row]) -> dict[int, Any]:
    """Return a mapping from the first column to the second."""
    return {int(row[0]): row[1] for row in rows}


def _quote_text(text: str) -> str:
    """Return a text of our tables as an SQL literal.

    Raises:
        RowNotFound: The text has a character that the generator never writes.
    """
    if not text.replace(" ", "").isalnum():
        raise RowNotFound(f"{text!r} is no text of ours")
    return f"'{text}'"

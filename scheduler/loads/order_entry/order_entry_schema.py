"""Columns, keys and indexes of order entry."""

from scheduler.loads.order_entry.size import DISTRICTS, TABLES
from scheduler.loads.tables.table_set import DatabaseTable

_ADDRESS = (
    "{0}_street_1 varchar(20), {0}_street_2 varchar(20), {0}_city varchar(20), {0}_state char(2), {0}_zip char(9)"
)

COLUMNS = {
    "warehouse": "w_id int, w_ytd decimal(12, 2), w_tax decimal(4, 4), w_name varchar(10), " + _ADDRESS.format("w"),
    "district": "d_w_id int, d_id int, d_ytd decimal(12, 2), d_tax decimal(4, 4), d_next_o_id int,"
    " d_name varchar(10), " + _ADDRESS.format("d"),
    "customer": "c_w_id int, c_d_id int, c_id int, c_discount decimal(4, 4), c_credit char(2), c_last varchar(16),"
    " c_first varchar(16), c_credit_lim decimal(12, 2), c_balance decimal(12, 2), c_ytd_payment decimal(12, 2),"
    " c_payment_cnt int, c_delivery_cnt int, "
    + _ADDRESS.format("c")
    + ", c_phone char(16), c_since {moment}, c_middle char(2), c_data varchar(500)",
    "history": "h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date {moment},"
    " h_amount decimal(6, 2), h_data varchar(24)",
    "orders": "o_w_id int, o_d_id int, o_id int, o_c_id int, o_carrier_id int NULL, o_ol_cnt int, o_all_local int,"
    " o_entry_d {moment}",
    "new_order": "no_w_id int, no_d_id int, no_o_id int",
    "order_line": "ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_delivery_d {moment} NULL,"
    " ol_amount decimal(6, 2), ol_supply_w_id int, ol_quantity int, ol_dist_info char(24)",
    "item": "i_id int, i_name varchar(24), i_price decimal(5, 2), i_data varchar(50), i_im_id int",
    "stock": "s_w_id int, s_i_id int, s_quantity int, s_ytd int, s_order_cnt int, s_remote_cnt int,"
    " s_data varchar(50), " + ", ".join(f"s_dist_{number:02} char(24)" for number in range(1, DISTRICTS + 1)),
}
"""Table to its columns. Only `o_carrier_id` and `ol_delivery_d` can be NULL."""

KEYS = {
    "warehouse": "w_id",
    "district": "d_w_id, d_id",
    "customer": "c_w_id, c_d_id, c_id",
    "orders": "o_w_id, o_d_id, o_id",
    "new_order": "no_w_id, no_d_id, no_o_id",
    "order_line": "ol_w_id, ol_d_id, ol_o_id, ol_number",
    "item": "i_id",
    "stock": "s_w_id, s_i_id",
}

INDEXES = (
    "CREATE INDEX customer_name ON @.customer (c_w_id, c_d_id, c_last, c_first)",
    "CREATE UNIQUE INDEX orders_customer ON @.orders (o_w_id, o_d_id, o_c_id, o_id)",
)

ORDER_TABLES = {name: DatabaseTable(name, COLUMNS[name], KEYS.get(name, ""), "h_id") for name in TABLES}
"""Table name to table. TPC-C defines no key for the history. `h_id` is its key where the database needs one."""

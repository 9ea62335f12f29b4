"""PostgreSQL functions for the five transactions: one call, one round trip each.

Each function returns the number of rows found, so that its caller detects missing rows. The caller sorts the lines of
an order into the order in which their stocks are locked.
"""

from scheduler.loads.order_entry.size import DISTRICTS

UNKNOWN_ITEM = "OE001"
"""SQLSTATE of an order with an unknown item that was not meant to be rolled back."""

_INFO = "CASE p_district {} END".format(
    " ".join(f"WHEN {number} THEN s_dist_{number:02}" for number in range(1, DISTRICTS + 1))
)

_NEW_ORDER = f"""
CREATE OR REPLACE FUNCTION @.new_order(p_warehouse int, p_district int, p_customer int, p_suppliers int[],
    p_items int[], p_pieces int[], p_undone boolean) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    v_order int; v_tax numeric; v_total numeric; v_lines int; v_wanted int := cardinality(p_items);
BEGIN
    UPDATE @.district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = p_warehouse AND d_id = p_district
        RETURNING d_next_o_id - 1, d_tax INTO STRICT v_order, v_tax;
    SELECT (1 - c_discount) * (1 + w_tax + v_tax) INTO STRICT v_tax FROM @.warehouse, @.customer
        WHERE w_id = p_warehouse AND c_w_id = p_warehouse AND c_d_id = p_district AND c_id = p_customer;
    INSERT INTO @.orders VALUES (p_warehouse, p_district, v_order, p_customer, NULL, v_wanted,
        (p_warehouse = ALL (p_suppliers))::int, localtimestamp);
    INSERT INTO @.new_order VALUES (p_warehouse, p_district, v_order);
    PERFORM 1 FROM @.stock JOIN unnest(p_suppliers, p_items) AS line (supplier, item)
        ON s_w_id = supplier AND s_i_id = item ORDER BY s_w_id, s_i_id FOR UPDATE OF stock;
    UPDATE @.stock SET s_quantity = s_quantity - pieces + CASE WHEN s_quantity >= pieces + 10 THEN 0 ELSE 91 END,
        s_ytd = s_ytd + pieces, s_order_cnt = s_order_cnt + 1,
        s_remote_cnt = s_remote_cnt + (supplier <> p_warehouse)::int
        FROM unnest(p_suppliers, p_items, p_pieces) AS line (supplier, item, pieces)
        WHERE s_w_id = supplier AND s_i_id = item;
    INSERT INTO @.order_line SELECT p_warehouse, p_district, v_order, number, item, NULL, i_price * pieces, supplier,
        pieces, {_INFO} FROM unnest(p_suppliers, p_items, p_pieces) WITH ORDINALITY
        AS line (supplier, item, pieces, number) JOIN @.item ON i_id = item
        JOIN @.stock ON s_w_id = supplier AND s_i_id = item;
    GET DIAGNOSTICS v_lines = ROW_COUNT;
    SELECT sum(ol_amount) * v_tax INTO v_total FROM @.order_line
        WHERE ol_w_id = p_warehouse AND ol_d_id = p_district AND ol_o_id = v_order;
    IF v_lines < v_wanted AND NOT p_undone THEN
        RAISE EXCEPTION 'an item of the order is unknown' USING ERRCODE = '{UNKNOWN_ITEM}';
    END IF;
    RETURN v_lines;
END $$"""

# Several customers can have one last name. The middle one by first name is used (2.5.2.2).
_CUSTOMER = """
CREATE OR REPLACE FUNCTION @.customer_named(p_warehouse int, p_district int, p_last text) RETURNS int
LANGUAGE sql STABLE AS $$
    SELECT c_id FROM (SELECT c_id, row_number() OVER (ORDER BY c_first) AS place, count(*) OVER () AS many
        FROM @.customer WHERE c_w_id = p_warehouse AND c_d_id = p_district AND c_last = p_last) AS found
    WHERE place = (many + 1) / 2
$$"""

_PAYMENT = """
CREATE OR REPLACE FUNCTION @.payment(p_warehouse int, p_district int, p_home int, p_home_district int, p_customer int,
    p_last text, p_amount numeric) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    v_warehouse text; v_district text; v_customer int := p_customer;
BEGIN
    UPDATE @.warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_warehouse RETURNING w_name INTO STRICT v_warehouse;
    UPDATE @.district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_warehouse AND d_id = p_district
        RETURNING d_name INTO STRICT v_district;
    IF p_last <> '' THEN
        v_customer := @.customer_named(p_home, p_home_district, p_last);
    END IF;
    UPDATE @.customer SET c_balance = c_balance - p_amount, c_ytd_payment = c_ytd_payment + p_amount,
        c_payment_cnt = c_payment_cnt + 1, c_data = CASE WHEN c_credit = 'BC' THEN left(concat_ws(' ', c_id, c_d_id,
        c_w_id, p_district, p_warehouse, p_amount, c_data), 500) ELSE c_data END
        WHERE c_w_id = p_home AND c_d_id = p_home_district AND c_id = v_customer;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'nobody pays: there is no customer % (%) in district % of warehouse %',
            v_customer, p_last, p_home_district, p_home;
    END IF;
    INSERT INTO @.history VALUES (v_customer, p_home_district, p_home, p_district, p_warehouse, localtimestamp,
        p_amount, concat(v_warehouse, '    ', v_district));
    RETURN 1;
END $$"""

_ORDER_STATUS = """
CREATE OR REPLACE FUNCTION @.order_status(p_warehouse int, p_district int, p_customer int, p_last text) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
    v_customer int := p_customer; v_order int; v_lines int; v_balance numeric; v_total numeric;
BEGIN
    IF p_last <> '' THEN
        v_customer := @.customer_named(p_warehouse, p_district, p_last);
    END IF;
    SELECT c_balance INTO STRICT v_balance FROM @.customer
        WHERE c_w_id = p_warehouse AND c_d_id = p_district AND c_id = v_customer;
    SELECT o_id INTO v_order FROM @.orders WHERE o_w_id = p_warehouse AND o_d_id = p_district AND o_c_id = v_customer
        ORDER BY o_id DESC LIMIT 1;
    SELECT count(*), sum(ol_amount) INTO v_lines, v_total FROM @.order_line
        WHERE ol_w_id = p_warehouse AND ol_d_id = p_district AND ol_o_id = v_order;
    RETURN v_lines;
END $$"""

# After waiting for another delivery, LIMIT 1 returns no row, because that delivery deleted the order. The inner loop
# then looks for the next order.
_DELIVERY = f"""
CREATE OR REPLACE FUNCTION @.delivery(p_warehouse int, p_carrier int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    v_order int; v_customer int; v_amount numeric; v_delivered int := 0;
BEGIN
    FOR v_district IN 1..{DISTRICTS} LOOP
        LOOP
            SELECT no_o_id INTO v_order FROM @.new_order WHERE no_w_id = p_warehouse AND no_d_id = v_district
                ORDER BY no_o_id LIMIT 1 FOR UPDATE;
            EXIT WHEN FOUND;
            EXIT WHEN NOT EXISTS (SELECT 1 FROM @.new_order WHERE no_w_id = p_warehouse AND no_d_id = v_district);
        END LOOP;
        CONTINUE WHEN v_order IS NULL;
        DELETE FROM @.new_order WHERE no_w_id = p_warehouse AND no_d_id = v_district AND no_o_id = v_order;
        UPDATE @.orders SET o_carrier_id = p_carrier
            WHERE o_w_id = p_warehouse AND o_d_id = v_district AND o_id = v_order
            RETURNING o_c_id INTO STRICT v_customer;
        UPDATE @.order_line SET ol_delivery_d = localtimestamp
            WHERE ol_w_id = p_warehouse AND ol_d_id = v_district AND ol_o_id = v_order;
        SELECT sum(ol_amount) INTO v_amount FROM @.order_line
            WHERE ol_w_id = p_warehouse AND ol_d_id = v_district AND ol_o_id = v_order;
        UPDATE @.customer SET c_balance = c_balance + v_amount, c_delivery_cnt = c_delivery_cnt + 1
            WHERE c_w_id = p_warehouse AND c_d_id = v_district AND c_id = v_customer;
        v_delivered := v_delivered + 1;
    END LOOP;
    RETURN v_delivered;
END $$"""

_STOCK_LEVEL = """
CREATE OR REPLACE FUNCTION @.stock_level(p_warehouse int, p_district int, p_least int) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
    v_next int; v_low int;
BEGIN
    SELECT d_next_o_id INTO STRICT v_next FROM @.district WHERE d_w_id = p_warehouse AND d_id = p_district;
    SELECT count(DISTINCT s_i_id) INTO v_low FROM @.order_line JOIN @.stock ON s_w_id = p_warehouse AND s_i_id = ol_i_id
        WHERE ol_w_id = p_warehouse AND ol_d_id = p_district AND ol_o_id >= v_next - 20 AND ol_o_id < v_next
        AND s_quantity < p_least;
    RETURN v_low;
END $$"""

FUNCTIONS = (_NEW_ORDER, _CUSTOMER, _PAYMENT, _ORDER_STATUS, _DELIVERY, _STOCK_LEVEL)

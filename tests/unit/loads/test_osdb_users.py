"""Users draw OSDB's keys: uniform, never 1, never N, each user another sequence, every time the same."""

from collections import Counter
from itertools import islice

import msgspec

from scheduler.loads.osdb.osdb_schema import STATEMENTS, osdb_statement
from scheduler.loads.osdb.osdb_users import draw_keys, draw_statements
from scheduler.loads.user_messages import BeginOrder, decode_order, encode_line

BEGIN = BeginOrder({"host": "127.0.0.1", "password": "top-secret"}, "osdb-ir", tuples=2000, seed=1, user=0)


def drawn(begin, count):
    return list(islice(draw_keys(begin), count))


def test_every_key_but_1_and_n_comes_about_equally_often():
    counts = Counter(drawn(BEGIN, 200_000))
    assert set(counts) == {0, *range(2, 2000)}
    assert max(counts.values()) < 200 > min(counts.values()) > 50


def test_user_draws_the_same_keys_again_and_other_users_others():
    assert drawn(BEGIN, 50) == drawn(BEGIN, 50)
    for other in ({"user": 1}, {"seed": 2}, {"kind": "osdb-oltp"}):
        assert drawn(msgspec.structs.replace(BEGIN, **other), 50) != drawn(BEGIN, 50)


def test_each_key_comes_with_its_own_statement():
    template = osdb_statement("osdb-ir", 2000, "%d").encode()
    for key, (other, statement) in islice(zip(draw_keys(BEGIN), draw_statements(BEGIN, template), strict=False), 1000):
        assert key == other
        assert statement.endswith(b"WHERE col_key = %d" % key)


def test_first_order_shows_no_password():
    assert "top-secret" not in repr(BEGIN)
    assert decode_order(encode_line(BEGIN).strip()) == BEGIN


def test_statements_stay_in_the_schema_of_their_size():
    for kind in STATEMENTS:
        assert "domtune_osdb_2000.updates" in osdb_statement(kind, 2000, "%d")

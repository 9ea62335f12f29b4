"""The data have exactly the distributions that were measured on OSDB's, and the same bytes everywhere."""

import hashlib
from collections import Counter

import numpy as np
import pytest

from scheduler.loads.osdb import generator
from scheduler.loads.osdb.generator import (
    OsdbData,
    dense_keys,
    divide_rounded,
    normal_values,
    sparse_keys,
    spread_evenly,
    zipfian_values,
)
from scheduler.loads.osdb.osdb_checks import expected_results
from scheduler.loads.osdb.osdb_schema import RELATIONS, SEED

N = 10_000

GOLDEN = {
    "uniques": "73a97b1fd011883ef41c054a99fd3574b25298bc7be5653a5775d6592ba52ea4",
    "hundred": "79782b3ab54c05ba73b61e5fcbaf76ed15995626a3941e4061dedf854506d938",
    "tenpct": "f6cbf841ef7b7e7a78ec588d5d88292638ac785b56407675a4198b4f346cb71c",
    "updates": "d3a990b27e4ac161bd38729d35ff9c1f2ed7b753e457f9cff523bc1d5d9d1dda",
}


@pytest.fixture(scope="module")
def data() -> OsdbData:
    return OsdbData(N, SEED)


@pytest.mark.parametrize("relation", RELATIONS)
def test_bytes_are_the_same_on_every_machine(data, relation):
    assert hashlib.sha256(b"".join(data.csv(relation))).hexdigest() == GOLDEN[relation]


def test_another_seed_gives_other_bytes(data):
    other = OsdbData(N, SEED + 1)
    assert b"".join(other.csv("updates")) != b"".join(data.csv("updates"))


def test_chunks_do_not_change_the_bytes(data, monkeypatch):
    whole = b"".join(data.csv("hundred"))
    monkeypatch.setattr(generator, "_CHUNK_ROWS", 777)
    assert b"".join(data.csv("hundred")) == whole


@pytest.mark.parametrize("tuples", [2_000, 11_000])
def test_every_size_holds_the_same_multisets(tuples):
    data = OsdbData(tuples, SEED)
    for name in ("uniques", "updates"):
        columns = data.relations[name]
        assert sorted(columns["signed"]) == list(spread_evenly(tuples, -500_000_000, 1_000_000_000))
        assert sorted(columns["decim"]) == list(spread_evenly(tuples, -1_000_000_000, 2_000_000_000))
        assert sorted(columns["double"]) == list(normal_values(tuples))
        assert Counter(columns["float"]) == Counter(zipfian_values(tuples))
    assert sorted(data.relations["updates"]["key"]) == list(dense_keys(tuples))
    assert sorted(data.relations["uniques"]["key"]) == list(sparse_keys(tuples))


def test_keys_are_dense_or_sparse_and_never_1():
    assert list(dense_keys(5)) == [0, 2, 3, 4, 5]
    assert list(sparse_keys(5)) == [0, 250_000_001, 500_000_001, 750_000_000, 1_000_000_000]


def test_rounding_is_half_to_even_and_exact():
    assert list(divide_rounded(np.arange(8), 1, 2)) == [0, 0, 1, 2, 2, 2, 3, 4]
    assert list(divide_rounded(np.array([9_999_998]), 2_000_000_000, 9_999_999)) == [1_999_999_800]


def test_ten_values_have_the_counts_measured_on_osdbs_data():
    counts = sorted(Counter(zipfian_values(N)).values(), reverse=True)
    assert counts == [6452, 1613, 717, 403, 258, 179, 132, 101, 80, 65]


def test_normal_column_is_symmetric_and_reaches_its_ends():
    values = normal_values(N)
    assert values.sum() == 0
    assert (values[0], values[-1]) == (-1_000_000_000, 1_000_000_000)
    assert np.all(np.diff(values) >= 0)
    # one standard deviation is 1e9 / 3.2905
    assert np.mean(np.abs(values) < 1e9 / 3.2905) == pytest.approx(0.683, abs=0.002)


def test_rows_are_linked_as_in_osdbs_files(data):
    uniques, hundred, tenpct, updates = (data.relations[name] for name in RELATIONS)
    for column in ("date", "code"):
        assert all(np.array_equal(uniques[column], other[column]) for other in (hundred, tenpct, updates))
    for column in ("signed", "float", "double", "decim", "name", "address"):
        assert np.array_equal(uniques[column], updates[column])
    for same in (uniques["int"], tenpct["key"], tenpct["int"], hundred["int"]):
        assert np.array_equal(uniques["key"], same)
    for same in (updates["int"], hundred["key"]):
        assert np.array_equal(updates["key"], same)


@pytest.mark.parametrize(("one", "other"), [("uniques", "updates"), ("hundred", "tenpct")])
def test_orders_are_independent(data, one, other):
    keys = data.relations[one]["key"], data.relations[other]["key"]
    assert abs(np.corrcoef(*keys)[0, 1]) < 0.05
    assert abs(np.corrcoef(keys[0], np.arange(N))[0, 1]) < 0.05
    assert abs(np.corrcoef(data.relations["updates"]["double"], data.relations["updates"]["decim"])[0, 1]) < 0.05


def test_hundred_and_tenpct_have_their_few_values(data):
    hundred, tenpct = data.relations["hundred"], data.relations["tenpct"]
    for column in ("signed", "float", "double", "name", "address"):
        assert set(Counter(hundred[column]).values()) == {N // 100}
    assert sorted(set(hundred["signed"])) == list(range(100, 200))
    assert np.array_equal(hundred["double"], hundred["decim"])
    assert set(Counter(tenpct["name"]).values()) == {N // 10}
    assert len(set(tenpct["signed"])) == N
    assert len(set(tenpct["double"])) == N // 10


def test_dates_cover_the_century_once_spread(data):
    dates = data.relations["uniques"]["date"]
    assert {"1/1/1900", "12/31/1999"} <= set(dates)
    assert max(Counter(dates).values()) == 1


def test_address_lengths_have_their_fixed_counts(data):
    lengths = np.char.str_len(data.relations["uniques"]["address"])
    counts = Counter(lengths)
    assert [counts[length] for length in (2, 3, 4, 10, 80)] == [200, 400, 510, 400, 20]
    assert lengths.mean() == 20.0


def test_texts_need_no_quotes_and_have_no_blanks_at_their_ends(data):
    for columns in data.relations.values():
        for column in ("code", "name", "address"):
            texts = set(columns[column])
            assert not any(set(',"\\\n') & set(text) for text in texts)
            assert not any(text != text.strip() for text in texts)
    assert set(np.char.str_len(data.relations["updates"]["name"])) == {20}
    assert len(set(data.relations["updates"]["code"])) == N


def test_special_rows_are_there(data):
    for columns in data.relations.values():
        assert np.count_nonzero(columns["code"] == generator.SPECIAL_CODE) == 1
    counts = {"uniques": 1, "updates": 1, "hundred": N // 100}
    for name, count in counts.items():
        assert np.count_nonzero(data.relations[name]["name"] == generator.SPECIAL_NAME) == count
        assert np.count_nonzero(data.relations[name]["address"] == generator.SPECIAL_ADDRESS) == count
    assert np.count_nonzero(data.relations["tenpct"]["name"] == generator.SPECIAL_NAME) == N // 10


@pytest.mark.parametrize(("tuples", "average"), [(10_000, 990_099_010), (100_000, 990_009_900)])
def test_report_averages_what_osdb_logs_show(tuples, average):
    assert average in expected_results(tuples).values()

"""Generator of the data: fixed multisets in random order, equal on every machine.

Equal seeds give equal bytes. Only raw PCG64 words are used: NumPy keeps bit streams stable across versions, but not
the methods of Generator (NEP 19). Each column has an independent stream.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from scheduler.errors import LoadError
from scheduler.loads.osdb.osdb_schema import COLUMNS, RELATIONS
from scheduler.translation import _

Ints = NDArray[np.int64]
Texts = NDArray[np.str_]

SPECIAL_CODE = "BENCHMARKS"
SPECIAL_NAME = "THE:ASAP:BENCHMARKS:"
SPECIAL_ADDRESS = "SILICON VALLEY"

# Addresses per thousand of length 2, 3, ..., 80. Their mean is exactly 20 (measured on OSDB's data).
_LENGTHS_PER_MILLE = (
    *(20, 40, 51, 48, 47, 46, 43, 41, 40, 36, 33, 33, 30, 28, 26, 25, 23, 22, 20, 19, 18, 17, 15, 14, 12, 11, 11),
    *(10, 10, 10, 9, 9, 9, 8, 8, 8, 7, 7, 7, 6, 6, 6, 5, 5, 5, 5, 5, 4, 4, 4, 4, 4),
    *([3] * 12),
    *([2] * 15),
)
_ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CODE_SYMBOLS = np.frombuffer((_ALPHANUMERIC + ".:").encode("ascii"), dtype=np.uint8)
_TEXT_SYMBOLS = np.frombuffer((_ALPHANUMERIC + ": ").encode("ascii"), dtype=np.uint8)
_CHUNK_ROWS = 50_000

# Numbers of the random streams. All relations share "rows"; uniques and updates share "common".
_STREAMS = {name: number for number, name in enumerate(("rows", "common", *RELATIONS))}
_KEY_ORDER, _SPECIALS, _LENGTH_ORDER = 20, 21, 22


class OsdbData:
    """All columns of one database size.

    Args:
        tuples: Rows per relation, N: a multiple of 1000, >= 2000.
        seed: Seed of the random numbers.

    Raises:
        LoadError: The seed gives codes that are not unique.
    """

    def __init__(self, tuples: int, seed: int) -> None:
        self.tuples = tuples
        self._seed = seed
        keys = {
            "sparse": self._shuffle_keys("uniques", sparse_keys(tuples)),
            "dense": self._shuffle_keys("updates", dense_keys(tuples)),
        }
        shared = {"date": self._make_dates(), "code": self._make_codes()}
        common = self._common_columns()
        self.relations: Mapping[str, Mapping[str, Ints | Texts]] = {
            "uniques": {"key": keys["sparse"], "int": keys["sparse"], **common, **shared},
            "hundred": {"key": keys["dense"], "int": keys["sparse"], **self._hundred_columns(), **shared},
            "tenpct": {"key": keys["sparse"], "int": keys["sparse"], **self._tenpct_columns(), **shared},
            "updates": {"key": keys["dense"], "int": keys["dense"], **common, **shared},
        }
        self._refuse_flaws()

    def csv(self, relation: str) -> Iterator[bytes]:
        """Yield a relation as CSV without quotes, up to 50,000 rows at a time."""
        columns = [self.relations[relation][name] for name in COLUMNS]
        for start in range(0, self.tuples, _CHUNK_ROWS):
            texts = [list(map(str, column[start : start + _CHUNK_ROWS].tolist())) for column in columns]
            yield ("\n".join(map(",".join, zip(*texts, strict=True))) + "\n").encode("ascii")

    def _random_words(self, stream: str, column: int, words: int) -> NDArray[np.uint64]:
        sequence = np.random.SeedSequence(self._seed, spawn_key=(_STREAMS[stream], column))
        return np.random.PCG64(sequence).random_raw(words)

    def _random_order(self, stream: str, column: int) -> Ints:
        return np.argsort(self._random_words(stream, column, self.tuples), kind="stable")

    def _shuffle_keys(self, stream: str, values: Ints) -> Ints:
        return values[self._random_order(stream, _KEY_ORDER)]

    def _fill_shuffled(self, stream: str, column: str, values: Ints | Texts) -> Ints | Texts:
        """Repeat the values to fill N rows; return them in the column's random order."""
        order = self._random_order(stream, COLUMNS.index(column))
        return values[order // (self.tuples // len(values))]

    def _special_rows(self) -> Ints:
        """Return three different rows: for the special code, name and address."""
        words = self._random_words("rows", _SPECIALS, 64) % np.uint64(self.tuples)
        _, first = np.unique(words, return_index=True)
        return words[np.sort(first)[:3]].astype(np.int64)

    def _make_dates(self) -> Texts:
        days = divide_rounded(np.arange(self.tuples), 36_523, self.tuples - 1)
        first = date(1900, 1, 1)
        calendar = np.array([_american_date(first + timedelta(day)) for day in range(36_524)])
        return calendar[days][self._random_order("rows", COLUMNS.index("date"))]

    def _make_codes(self) -> Texts:
        codes = self._random_texts("rows", "code", np.full(self.tuples, 10), _CODE_SYMBOLS)
        codes[self._special_rows()[0]] = SPECIAL_CODE
        return codes

    def _common_columns(self) -> dict[str, Ints | Texts]:
        tuples = self.tuples
        names = self._random_texts("common", "name", np.full(tuples, 20), _TEXT_SYMBOLS)
        lengths = np.repeat(np.arange(2, 81), np.array(_LENGTHS_PER_MILLE) * (tuples // 1000))
        addresses = self._random_texts(
            "common", "address", lengths[self._random_order("common", _LENGTH_ORDER)], _TEXT_SYMBOLS
        )
        _, name_row, address_row = self._special_rows()
        names[name_row] = SPECIAL_NAME
        _put_special_address(addresses, int(address_row))
        return {
            "signed": self._fill_shuffled("common", "signed", spread_evenly(tuples, -500_000_000, 1_000_000_000)),
            "float": zipfian_values(tuples)[self._random_order("common", COLUMNS.index("float"))],
            "double": self._fill_shuffled("common", "double", normal_values(tuples)),
            "decim": self._fill_shuffled("common", "decim", spread_evenly(tuples, -1_000_000_000, 2_000_000_000)),
            "name": names,
            "address": addresses,
        }

    def _hundred_columns(self) -> dict[str, Ints | Texts]:
        amounts = self._fill_shuffled("hundred", "double", spread_evenly(100, -1_000_000_000, 2_000_000_000))
        return {
            "signed": self._fill_shuffled("hundred", "signed", np.arange(100, 200)),
            "float": self._fill_shuffled("hundred", "float", spread_evenly(100, -500_000_000, 1_000_000_000)),
            "double": amounts,
            "decim": amounts,
            "name": self._fill_shuffled("hundred", "name", self._few_names("hundred", 100)),
            "address": self._fill_shuffled("hundred", "address", self._few_addresses("hundred", 100)),
        }

    def _tenpct_columns(self) -> dict[str, Ints | Texts]:
        values = self.tuples // 10
        amounts = self._fill_shuffled("tenpct", "double", spread_evenly(values, -1_000_000_000, 2_000_000_000))
        return {
            "signed": self._fill_shuffled("tenpct", "signed", spread_evenly(self.tuples, -500_000_000, 1_000_000_000)),
            "float": self._fill_shuffled("tenpct", "float", spread_evenly(values, -500_000_000, 1_000_000_000)),
            "double": amounts,
            "decim": amounts,
            "name": self._fill_shuffled("tenpct", "name", self._few_names("tenpct", 10)),
            "address": self._fill_shuffled("tenpct", "address", self._few_addresses("tenpct", values)),
        }

    def _few_names(self, stream: str, values: int) -> Texts:
        names = self._random_texts(stream, "name", np.full(values, 20), _TEXT_SYMBOLS)
        names[0] = SPECIAL_NAME
        return names

    def _few_addresses(self, stream: str, values: int) -> Texts:
        """Return addresses whose lengths are the mid-quantiles of the length vector."""
        ranks = (2 * np.arange(values) + 1) * 1000
        bounds = np.cumsum(_LENGTHS_PER_MILLE) * 2 * values
        addresses = self._random_texts(
            stream, "address", 2 + np.searchsorted(bounds, ranks, side="right"), _TEXT_SYMBOLS
        )
        _put_special_address(addresses, 0)
        return addresses

    def _random_texts(self, stream: str, column: str, lengths: Ints, symbols: NDArray[np.uint8]) -> Texts:
        """Return random texts of these lengths, without blanks at their ends."""
        width = int(lengths.max())
        words = -(-width // 8)
        raw = self._random_words(stream, 40 + COLUMNS.index(column), words * len(lengths))
        indexes = raw.astype("<u8").view(np.uint8).reshape(len(lengths), words * 8)[:, :width] & 63
        letters = symbols[indexes]
        rows = np.arange(len(lengths))
        for at in (np.zeros_like(lengths), lengths - 1):
            letters[rows, at] = np.where(letters[rows, at] == ord(" "), ord(":"), letters[rows, at])
        letters[np.arange(width) >= lengths[:, None]] = 0  # NumPy ends a text at its trailing zeros
        return letters.view(f"S{width}").ravel().astype(np.str_)

    def _refuse_flaws(self) -> None:
        """Raise LoadError when the statements cannot rely on the data of this seed."""
        codes = self.relations["updates"]["code"]
        if len(np.unique(codes)) != self.tuples or np.count_nonzero(codes == SPECIAL_CODE) != 1:
            raise LoadError(
                _("seed {seed} gives {tuples} rows whose codes are not unique").format(
                    seed=self._seed, tuples=self.tuples
                )
            )
        if any((columns["key"] == 1).any() for columns in self.relations.values()):
            raise LoadError(_("the data hold a key 1"))


def divide_rounded(indexes: Ints, factor: int, divisor: int) -> Ints:
    """Return indexes * factor / divisor, rounded half to even, in exact arithmetic.

    Args:
        indexes: Integers, >= 0.
        factor: Factor, so small that the products fit into 64 bits.
        divisor: Divisor, > 0.
    """
    quotients, rests = np.divmod(indexes.astype(np.int64) * factor, divisor)
    return quotients + ((2 * rests > divisor) | ((2 * rests == divisor) & (quotients % 2 == 1)))


def spread_evenly(values: int, lowest: int, width: int) -> Ints:
    """Return evenly spread integers from `lowest` to `lowest + width`.

    Args:
        values: Number of integers, >= 2.
        lowest: First integer.
        width: Last integer minus first integer.
    """
    return lowest + divide_rounded(np.arange(values), width, values - 1)


def dense_keys(tuples: int) -> Ints:
    """Return the keys 0, 2, 3, ..., N."""
    keys = np.arange(1, tuples + 1)
    keys[0] = 0
    return keys


def sparse_keys(tuples: int) -> Ints:
    """Return the key 0 and integers spread evenly up to 1e9, without 1."""
    keys = 1 + divide_rounded(np.arange(tuples), 999_999_999, tuples - 1)
    keys[0] = 0
    return keys


def zipfian_values(tuples: int) -> Ints:
    """Return ten values with counts proportional to 1/(r+1)^2, for r from 0.

    The first value fills the rows that rounding leaves.
    """
    weights = 1.0 / np.arange(1, 11) ** 2
    counts = np.rint(weights / weights.sum() * tuples).astype(np.int64)
    counts[0] = tuples - counts[1:].sum()
    return np.repeat(spread_evenly(10, -500_000_000, 1_000_000_000), counts)


def normal_values(tuples: int) -> Ints:
    """Return a normal distribution truncated at 3.2905 sigma, scaled to -1e9..1e9."""
    quantile = NormalDist().inv_cdf
    largest = quantile(0.9995)
    # Only the lower half is computed. The result is exactly symmetric, so the sum is exactly 0 with every C library.
    half = [round(1e9 * quantile(0.0005 + 0.999 * i / (tuples - 1)) / largest) for i in range(tuples // 2)]
    return np.array([*half, *(-value for value in reversed(half))], dtype=np.int64)


def _american_date(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"


def _put_special_address(addresses: Texts, row: int) -> None:
    """Set one address to the special address; exchange lengths to keep their counts."""
    lengths = np.char.str_len(addresses)
    same = int(np.flatnonzero(lengths == len(SPECIAL_ADDRESS))[0])
    addresses[same] = addresses[row]
    addresses[row] = SPECIAL_ADDRESS

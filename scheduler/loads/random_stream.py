"""Random numbers and texts for initial rows, the same on every machine.

Only raw PCG64 words are used. NumPy keeps bit streams stable across versions, but not the results of its Generator (NEP
19).
"""

import numpy as np

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_POOL_LETTERS = 1 << 20


class RandomStream:
    """One independent stream.

    Args:
        seed: Seed of all streams of a load.
        key: Identifies this stream among them.
    """

    def __init__(self, seed: int, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))
        symbols = np.frombuffer(_LETTERS.encode("ascii"), dtype=np.uint8)
        words = self._bits.random_raw(_POOL_LETTERS // 8).astype("<u8").view(np.uint8)
        self._pool = symbols[words % len(_LETTERS)].tobytes().decode("ascii")

    def numbers(self, low: int, high: int, count: int) -> list[int]:
        """Return uniformly distributed integers.

        Args:
            low: Smallest value.
            high: Largest value, >= `low`.
            count: Number of values, >= 0.
        """
        words = self._bits.random_raw(count) % np.uint64(high - low + 1)
        return (words.astype(np.int64) + low).tolist()

    def texts(self, low: int, high: int, count: int) -> list[str]:
        """Return texts of letters and digits, which are pieces of one random text.

        Args:
            low: Shortest length, >= 0.
            high: Longest length, >= `low`.
            count: Number of texts, >= 0.
        """
        pool, starts = self._pool, self.numbers(0, _POOL_LETTERS - high, count)
        if low == high:
            return [pool[start : start + low] for start in starts]
        return [pool[a : a + n] for a, n in zip(starts, self.numbers(low, high, count), strict=True)]

    def order(self, count: int) -> list[int]:
        """Return 1 to `count` in random order."""
        return (np.argsort(self._bits.random_raw(count), kind="stable") + 1).tolist()

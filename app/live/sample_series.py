"""Growing columns of floats: one append per sample, numpy when somebody looks."""

from array import array

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class SampleSeries:
    """Rows of equal width that only ever grow.

    Args:
        names: The columns' names; the first is the time, ascending.
    """

    __slots__ = ("_rows", "names")

    def __init__(self, *names: str) -> None:
        self.names = names
        # array('d') grows in C, amortised; one row is one call. A numpy array would have to be grown by hand.
        self._rows = array("d")

    def __len__(self) -> int:
        return len(self._rows) // len(self.names)

    def append(self, *row: float) -> None:
        """Add one row, one value per column; a fraction of a microsecond."""
        self._rows.extend(row)

    def put(self, name: str, row: int, value: float) -> None:
        """Replace one value; not a time."""
        self._rows[row * len(self.names) + self.names.index(name)] = value

    def column(self, name: str, start: int = 0) -> Floats:
        """Return a copy of one column from row `start` on."""
        return self._as_array()[start:, self.names.index(name)].copy()

    def since(self, t_s: float) -> int:
        """Return the first row whose time is not before `t_s` (binary search)."""
        return int(np.searchsorted(self._as_array()[:, 0], t_s))

    def _as_array(self) -> Floats:
        # A view: drop it before the next append, which may move the memory.
        if not self._rows:
            return np.empty((0, len(self.names)))
        return np.frombuffer(self._rows, dtype=np.float64).reshape(-1, len(self.names))

"""Growing columns of floats: fast appends, numpy arrays on request."""

from array import array

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class SampleSeries:
    """Rows of equal width that only grow.

    Args:
        names: Names of the columns; the first is the time, ascending.
    """

    __slots__ = ("_rows", "names")

    def __init__(self, *names: str) -> None:
        self.names = names
        # array('d') appends a row in one amortised call; a numpy array would need growth by hand.
        self._rows = array("d")

    def __len__(self) -> int:
        return len(self._rows) // len(self.names)

    def append(self, *row: float) -> None:
        """Append one row, one value per column; takes less than a microsecond."""
        self._rows.extend(row)

    def put(self, name: str, row: int, value: float) -> None:
        """Replace one value; the time column must not change.

        Args:
            name: Name of the column.
            row: Number of the row, >= 0.
            value: New value, in the unit of the column.
        """
        self._rows[row * len(self.names) + self.names.index(name)] = value

    def column(self, name: str, start: int = 0) -> Floats:
        """Return a copy of a column.

        Args:
            name: Name of the column.
            start: First row, >= 0.
        """
        return self._as_array()[start:, self.names.index(name)].copy()

    def since(self, t_s: float) -> int:
        """Return the first row at or after a time in seconds (binary search)."""
        return int(np.searchsorted(self._as_array()[:, 0], t_s))

    def _as_array(self) -> Floats:
        # Release this view before the next append, which may move the memory.
        if not self._rows:
            return np.empty((0, len(self.names)))
        return np.frombuffer(self._rows, dtype=np.float64).reshape(-1, len(self.names))

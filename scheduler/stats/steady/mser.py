"""MSER-5: truncation of a warm-up that minimises the error of the mean.

White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997), in batches of
five. Hoad, Robinson and Davies (JORS 61, 2010) found this method, out of 44, robust and suitable for automation.
"""

from collections.abc import Sequence

import numpy as np

BATCH = 5
"""Values per batch."""


def find_mser5_truncation(values: Sequence[float]) -> int | None:
    """Return the number of values to exclude; None without a steady state.

    The number is a multiple of five. A truncation d is in batches, up to half of the series. The best d minimises the
    sum of squared deviations of the rest, divided by the square of the rest's length. The largest allowed truncation
    means that even more would have to be excluded, so that the series has no steady state. The method does not detect a
    change at the end of the series (see `trend`).
    """
    count = len(values) // BATCH
    largest = len(values) // 2 // BATCH
    if largest < 1:
        return None
    batches = np.asarray(values[: count * BATCH], dtype=np.float64).reshape(count, BATCH).mean(axis=1)
    errors = [float(batches[cut:].var()) / (count - cut) for cut in range(largest + 1)]
    best = int(np.argmin(errors))
    return None if best == largest else best * BATCH

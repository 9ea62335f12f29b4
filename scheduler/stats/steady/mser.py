"""MSER-5: how much of the beginning of a series to cut so that the mean of the rest is known best.

White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997), in batches of
five; of 44 methods the one that Hoad, Robinson and Davies (JORS 61, 2010) found robust and fit to be automated.
"""

from collections.abc import Sequence

import numpy as np

BATCH = 5
"""Values per batch."""


def find_mser5_truncation(values: Sequence[float]) -> int | None:
    """Return how many values to cut, a multiple of five; None when the series is not steady.

    Of all cuts d (in batches, up to half of the series) it is the one with the least sum of squared deviations of the
    rest over the square of the rest's length. The largest allowed cut means that more would have been cut: what
    settles so late has not settled. A change at the end of the series it cannot see (see `trend`).
    """
    count = len(values) // BATCH
    largest = len(values) // 2 // BATCH
    if largest < 1:
        return None
    batches = np.asarray(values[: count * BATCH], dtype=np.float64).reshape(count, BATCH).mean(axis=1)
    errors = [float(batches[cut:].var()) / (count - cut) for cut in range(largest + 1)]
    best = int(np.argmin(errors))
    return None if best == largest else best * BATCH

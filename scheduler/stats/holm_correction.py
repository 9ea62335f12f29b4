"""Several tests at once: chances that hold for all together (Holm, Scandinavian Journal of Statistics 6, 1979)."""

from collections.abc import Sequence


def adjust_chances(chances: Sequence[float]) -> tuple[float, ...]:
    """Return each chance adjusted: of all that are below 5 %, with 95 % not one is so by luck; the order is kept."""
    count = len(chances)
    adjusted = [0.0] * count
    highest = 0.0
    for rank, place in enumerate(sorted(range(count), key=chances.__getitem__)):
        highest = max(highest, min(1.0, (count - rank) * chances[place]))
        adjusted[place] = highest
    return tuple(adjusted)

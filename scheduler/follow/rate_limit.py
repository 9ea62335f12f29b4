"""How often following may move, and when it rests.

A bucket of moves allows a quick run of them, and few for long. When it is nearly empty the load turns faster than it
can be followed: chasing it costs more than it brings. Then it is calm for half an hour, and for twice as long each time
that this comes again soon.
"""

_HOUR_S = 3600.0
_CALM_S = 1800.0
_LONGEST_CALM_S = 4 * _HOUR_S
_SOON_S = 2 * _HOUR_S


class MoveBudget:
    """Moves that may be made.

    Args:
        burst: How many at most, and at the beginning.
        per_hour: How many come back in an hour.
    """

    def __init__(self, burst: int, per_hour: float) -> None:
        self._burst, self._per_s = float(burst), per_hour / _HOUR_S
        self._left, self._at_s = float(burst), 0.0

    def moves_left(self, at_s: float) -> float:
        """Return how many may be made now; times never go back."""
        self._left = min(self._burst, self._left + (at_s - self._at_s) * self._per_s)
        self._at_s = at_s
        return self._left

    def spend_move(self, at_s: float) -> None:
        """Make one."""
        self._left = max(0.0, self.moves_left(at_s) - 1.0)


class Cooldown:
    """Half an hour in which only what the last half hour as a whole wants is done; longer when it comes again soon."""

    def __init__(self) -> None:
        self.until_s = -_SOON_S
        self._lasts_s = 0.0

    def is_active(self, at_s: float) -> bool:
        """Return whether it is calm."""
        return at_s < self.until_s

    def start(self, at_s: float) -> None:
        """Begin; at once after the last one it lasts twice as long, four hours at most."""
        soon = self._lasts_s > 0 and at_s - self.until_s < _SOON_S
        self._lasts_s = min(_LONGEST_CALM_S, 2 * self._lasts_s) if soon else _CALM_S
        self.until_s = at_s + self._lasts_s

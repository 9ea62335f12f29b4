"""One promised ratio and whether it holds."""

import math

import msgspec


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured against what was promised.

    Attributes:
        name: What it is, with its unit.
        value: The measured figure.
        at_least: Smallest value that keeps the promise; None for no such limit.
        at_most: Largest one; None likewise.
        note: How it was measured: counts, spread.
    """

    name: str
    value: float
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""

    @property
    def fine(self) -> bool:
        """True when the promise is kept, or nothing is promised; false for NaN."""
        if math.isnan(self.value):
            return False
        enough = self.at_least is None or self.value >= self.at_least
        return enough and (self.at_most is None or self.value <= self.at_most)

    @property
    def line(self) -> str:
        """The figure as one line for people."""
        if math.isnan(self.value):
            return f"FAILED {self.name}: not measured {self.note}".rstrip()
        limits = [f">= {self.at_least:g}"] if self.at_least is not None else []
        if self.at_most is not None:
            limits.append(f"<= {self.at_most:g}")
        if not limits:
            return f"stated {self.name}: {self.value:.3g} {self.note}".rstrip()
        verdict = "ok    " if self.fine else "FAILED"
        return f"{verdict} {self.name}: {self.value:.3g} (promised {' and '.join(limits)}) {self.note}".rstrip()

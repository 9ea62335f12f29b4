"""What is understood of the lines that a user's own program prints: answers of `domtune try` and of the window."""

import msgspec

MOST_LINES = 1_000
"""Lines of a dry run that are looked at: what a program may print in a second."""


class ParsedLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line.

    Attributes:
        text: The line.
        at_s: When it came, seconds since the program began; 0 where nobody ran it.
        figure: Its rate per second, or what was done since the line before; None for a line that is ignored.
        counts: True for the latter.
        errors: Operations that failed.
        times_ms: Service times: `p50`, `p95`, `p99`, or `latency`.
        source: How the figure was recognised: `the pattern`, a program's name, a guess; empty without a figure.
        problem: Why a figure of the line cannot be used; empty where there is none.
    """

    text: str
    at_s: float = 0.0
    figure: float | None = None
    counts: bool = False
    errors: int = 0
    times_ms: dict[str, float] = {}
    source: str = ""
    problem: str = ""


class PatternPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What was understood of all of them.

    Attributes:
        lines: The lines in their order; more than `MOST_LINES` are not looked at.
        unit: Unit of the rates.
        ended: How the program ended by itself; empty where it was still running, or nobody ran it.
        problem: Why a sweep would refuse these lines; empty where it would not.
        error: Why nothing can be understood; empty where it can.
        hint: What to do about it.
    """

    lines: tuple[ParsedLine, ...] = ()
    unit: str = ""
    ended: str = ""
    problem: str = ""
    error: str = ""
    hint: str = ""

    @property
    def counted(self) -> tuple[ParsedLine, ...]:
        """The lines with a figure."""
        return tuple(line for line in self.lines if line.figure is not None)


class PatternRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the window asks: what a pattern understands of a text.

    Attributes:
        pattern: Regular expression with named groups; empty to recognise lines without one.
        text: What the program printed.
        unit: Unit of the rates.
    """

    pattern: str
    text: str
    unit: str = ""

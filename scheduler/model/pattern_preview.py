"""Preview of a pattern: the figures found in the lines of a user's own program.

These are the answers of `domtune try` and of the window.
"""

import msgspec

MOST_LINES = 1_000
"""Largest number of lines of a preview, which is also the limit of a program's output per second."""


class ParsedLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of output and its figure.

    Attributes:
        text: The line.
        at_s: Time of the line, seconds since the start of the program; 0 where no program was run.
        figure: Rate per second, or operations since the line before; None for a line that is ignored.
        counts: True for operations since the line before.
        errors: Operations that failed.
        times_ms: Service times: `p50`, `p95`, `p99`, or `latency`.
        source: Source of the figure: `the pattern`, a program's name, a guess; empty without a figure.
        problem: Reason why a figure of the line is unusable; empty for none.
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
    """Figures found in all lines.

    Attributes:
        lines: The lines in their order, at most `MOST_LINES`.
        unit: Unit of the rates.
        ended: Outcome of a program that ended by itself; empty where it was still running, or no program was run.
        problem: Reason why a sweep would refuse these lines; empty for none.
        error: Reason why no line can be read; empty for none.
        hint: Advice; may be empty.
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
    """Request of the window to apply a pattern to a text.

    Attributes:
        pattern: Regular expression with named groups; empty to recognise lines without a pattern.
        text: Output of the program.
        unit: Unit of the rates.
    """

    pattern: str
    text: str
    unit: str = ""

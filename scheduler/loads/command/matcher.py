"""Matches lines against a plan's pattern in a process that may be killed (`python -m scheduler.loads.command.matcher`).

Some patterns take longer than the universe on some lines, and Python's matching cannot be given up from outside. So it
happens here: JSON lines on stdin, the pattern first, then what a program printed; for each of the others an object with
the named groups and their places, or null, on stdout. Who takes longer than `LIMIT_S` of CPU for one line is ended by
the kernel.
"""

import json
import re
import signal
import sys

LIMIT_S = 0.25
"""CPU time for one line: thousands of times what a pattern needs that suits."""


def main() -> int:
    """Answer until nobody asks any more; returns the exit status."""
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    pattern: re.Pattern[str] = re.compile(json.loads(sys.stdin.buffer.readline()))
    for line in sys.stdin.buffer:
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)
        found = pattern.search(json.loads(line))
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.stdout.write(json.dumps(None if found is None else _describe_match(found)) + "\n")
        sys.stdout.flush()
    return 0


def _describe_match(match: re.Match[str]) -> dict[str, object]:
    spans = {name: match.span(name) for name, text in match.groupdict().items() if text is not None}
    return {"groups": match.groupdict(), "spans": spans, "span": match.span()}


if __name__ == "__main__":
    sys.exit(main())

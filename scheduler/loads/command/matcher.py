"""Child process that matches lines: `python -m scheduler.loads.command.matcher`.

Some patterns need almost infinite time on some lines, and Python's matching cannot be interrupted. So the matching
runs
in this process, which can be killed. It reads JSON texts from stdin: first the pattern, then one line per match. For
each line, it writes an object with the named groups and their places, or null, to stdout. The kernel ends the process
if one line takes more than `LIMIT_S` of CPU.
"""

import json
import re
import signal
import sys

LIMIT_S = 0.25
"""CPU seconds for one line: thousands of times the need of a suitable pattern."""


def main() -> int:
    """Match lines until stdin ends; return the exit status."""
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

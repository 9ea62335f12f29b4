"""Many crashes in a row: `python -m tests.crash.campaign --count 200`; exit code 0 only when none left a trace."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.crash.trial import Report, moments, run_trial


def main() -> int:
    """Run the campaign and print a line per trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--host", default="local:")
    parser.add_argument("--longest-s", type=float, default=14.0, help="latest moment of a crash")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--others", default="", help="folder of groups that another program changes meanwhile")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="domtune-crash-") as folder:
        home = Path(folder)
        home.chmod(0o755)  # the embedded server runs as an account of its own
        host = arguments.host if arguments.host != "fake:" else f"fake:{home / 'host.json'}"
        others = arguments.others
        reports = [_tell(i, run_trial(home, host, *moment, others)) for i, moment in _numbered(arguments)]
    bad = [report for report in reports if report.problems]
    armed = sum(report.armed for report in reports)
    ran = sum(report.ran for report in reports)
    whole = f"{len(reports) - len(bad)} of {len(reports)} as found"
    print(f"{whole}; {ran} still ran when they were killed, {armed} had an armed undo record")
    return 1 if bad else 0


def _numbered(arguments: argparse.Namespace) -> enumerate:
    return enumerate(moments(arguments.count, arguments.longest_s, arguments.seed))


def _tell(number: int, report: Report) -> Report:
    verdict = "; ".join(report.problems) or "as found"
    armed = "armed" if report.armed else "not armed" if report.ran else "was over"
    print(f"{number:4d} {report.victim:7s} {report.after_s:6.2f} s {armed:9s} {verdict}", flush=True)
    return report


if __name__ == "__main__":
    sys.exit(main())

"""Program that writes a report as PDF or prints it.

It reads the report on standard input (`python -m app.paper --pdf FILE`) and needs no display.
The printer and its settings are one JSON object: `--print '{"printer": "office"}'`.
"""

import sys

from PySide6.QtWidgets import QApplication

from app.paper.paper_output import print_pages, write_pdf
from app.paper.print_job import PrintJob

_MOST_LETTERS = 64 << 20  # the longest expected report has a few million


def main() -> int:
    """Write or print the report; return the exit code."""
    kind, place = sys.argv[1:]
    page = sys.stdin.read(_MOST_LETTERS)
    app = QApplication(sys.argv[:1])
    try:
        if kind == "--pdf":
            write_pdf(page, place)
        else:
            print_pages(page, PrintJob.read(place))
    except OSError as error:
        sys.stderr.write(f"{error.strerror or error}\n")
        return 1
    finally:
        del app
    return 0


if __name__ == "__main__":
    sys.exit(main())

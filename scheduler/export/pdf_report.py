"""Report as PDF, made by a process of the window's program.

The core has no library that makes pages.
"""

from pathlib import Path

from scheduler.children import environment_without_secrets, open_input, python_module, run_and_capture
from scheduler.errors import StoreError
from scheduler.export.html_report import report_text
from scheduler.export.material import ExportMaterial
from scheduler.translation import _

_LIMIT_S = 120.0
_MODULE = "app.paper"  # named, not imported: the core does not depend on the window


def write_pdf_report(material: ExportMaterial, target: Path) -> tuple[Path, ...]:
    """Write the report of a sweep as PDF, and return its file.

    Args:
        material: The sweep.
        target: File of the report.

    Raises:
        StoreError: The pages cannot be made on this computer.
        OSError: The file cannot be written.
    """
    return write_pages(report_text(material, on_paper=True), target)


def write_pages(page: str, target: Path) -> tuple[Path, ...]:
    """Write a page of HTML as PDF, and return the file.

    Args:
        page: Report for paper.
        target: File of the report.

    Raises:
        StoreError: The pages cannot be made on this computer.
        OSError: The file cannot be written.
    """
    run_paper_program(page, "--pdf", str(target))
    return (target,)


def run_paper_program(page: str, *options: str) -> None:
    """Run the program that makes pages, without a display.

    Args:
        page: Report for paper.
        options: Options of the program.

    Raises:
        StoreError: The program failed; the message has its last line.
    """
    environment = {**environment_without_secrets(), "QT_QPA_PLATFORM": "offscreen"}
    hint = _("Save the report as HTML and print it in a browser.")
    try:
        with open_input(page) as source:
            done = run_and_capture(python_module(_MODULE, *options), _LIMIT_S, environment=environment, stdin=source)
    except OSError as error:
        raise StoreError(
            _("The pages could not be made: {strerror}.").format(strerror=error.strerror or error), hint=hint
        ) from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [_("exit code {returncode}").format(returncode=done.returncode)]
        raise StoreError(_("The pages could not be made: {lines}").format(lines=lines[-1]), hint=hint)

"""Printing of a report: the dialog is in the window, a process makes the pages."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtPrintSupport import QAbstractPrintDialog, QPrintDialog, QPrinter
from PySide6.QtWidgets import QWidget

from app.background import BackgroundWorker
from app.paper.print_job import PrintJob
from app.widgets.dialog_layout import show_dialog
from app.widgets.message_bar import MessageBar
from app.widgets.open_path import show_written
from scheduler.export.pdf_report import run_paper_program
from scheduler.translation import _


def ask_to_print(
    parent: QWidget, page: Callable[[], str], background: BackgroundWorker, message: MessageBar
) -> QPrintDialog:
    """Ask for a printer and print a report, without blocking.

    Without a printer, the dialog offers to print to a PDF file.

    Args:
        parent: Window below the dialog.
        page: Returns the report for paper; called in the background.
        background: Runs the work.
        message: Place of the outcome.
    """
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    dialog = QPrintDialog(printer, parent)
    options = QAbstractPrintDialog.PrintDialogOption
    dialog.setOption(options.PrintSelection, on=False)
    dialog.setOption(options.PrintPageRange)

    def finish(code: int) -> None:
        if code == QPrintDialog.DialogCode.Accepted:
            _start(printer, page, background, message)

    dialog.finished.connect(finish)  # `accepted` of a print dialog is another signal than a dialog's
    show_dialog(dialog)
    return dialog


def _start(printer: QPrinter, page: Callable[[], str], background: BackgroundWorker, message: MessageBar) -> None:
    job, name = PrintJob.of(printer), printer.outputFileName()

    def work(_: object) -> None:
        run_paper_program(page(), *(("--pdf", name) if name else ("--print", job.text())))

    def done(_unused: None) -> None:
        if name:
            show_written(message, _("Saved: {paths}").format(paths=name), (Path(name),))
        else:
            message.say("good", _("The report was sent to the printer {printer}.").format(printer=job.printer))

    message.say("info", _("The pages are being made."))
    background.submit(work, done, message.show_error)

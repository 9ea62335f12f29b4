"""Output of a report: a PDF file, or a printer."""

from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter
from PySide6.QtPrintSupport import QPrinter, QPrinterInfo

from app.paper.paper_document import PageRange, PaperDocument, paper_layout
from app.paper.print_job import PrintJob
from scheduler.translation import _

_DPI = 1200  # of the coordinates; drawings and texts are shapes


def write_pdf(page: str, path: str) -> None:
    """Write a report as PDF.

    Args:
        page: Report for paper, HTML.
        path: The file.

    Raises:
        OSError: The file cannot be written.
    """
    layout = paper_layout()
    document = PaperDocument(page, layout)
    writer = QPdfWriter(path)
    writer.setPageLayout(layout)
    writer.setResolution(_DPI)
    writer.setTitle(document.title)
    writer.setCreator("DomTune")
    document.paint(writer)


def print_pages(page: str, job: PrintJob) -> None:
    """Print a report.

    Args:
        page: Report for paper, HTML.
        job: Printer and choices.

    Raises:
        OSError: There is no such printer, or it takes no pages.
    """
    info = QPrinterInfo.printerInfo(job.printer) if job.printer else QPrinterInfo.defaultPrinter()
    if info.isNull():
        raise OSError(
            0,
            _("there is no printer {printer}").format(printer=job.printer) if job.printer else _("there is no printer"),
        )
    printer = QPrinter(info, QPrinter.PrinterMode.HighResolution)
    printer.setPageSize(QPageSize(_size_of(job.paper)))
    printer.setPageOrientation(QPageLayout.Orientation.Landscape if job.landscape else QPageLayout.Orientation.Portrait)
    layout = paper_layout(printer.pageLayout())
    printer.setPageLayout(layout)
    printer.setCopyCount(job.copies)
    printer.setDuplex(QPrinter.DuplexMode[job.duplex])
    printer.setColorMode(QPrinter.ColorMode.Color if job.colour else QPrinter.ColorMode.GrayScale)
    document = PaperDocument(page, layout)
    printer.setDocName(document.title)
    document.paint(printer, PageRange(job.first, job.last))


def _size_of(key: str) -> QPageSize.PageSizeId:
    sizes = (size for size in QPageSize.PageSizeId if QPageSize.key(size) == key)
    return next(sizes, QPageSize.PageSizeId.A4)

"""Choices of a print dialog, as the window passes them to the process that prints."""

import msgspec
from PySide6.QtGui import QPageLayout
from PySide6.QtPrintSupport import QPrinter


class PrintJob(msgspec.Struct, frozen=True):
    """Choices of a print dialog.

    Attributes:
        printer: Name of the printer; empty for the default printer.
        paper: Name of the paper size, for example `A4`.
        landscape: True for the landscape orientation.
        copies: Number of copies, >= 1.
        first: First page, from 1; 0 for all pages.
        last: Last page; 0 for all pages.
        duplex: Name of the duplex mode, a member of `QPrinter.DuplexMode`.
        colour: False for shades of grey.
    """

    printer: str = ""
    paper: str = "A4"
    landscape: bool = False
    copies: int = 1
    first: int = 0
    last: int = 0
    duplex: str = "DuplexNone"
    colour: bool = True

    @classmethod
    def of(cls, printer: QPrinter) -> "PrintJob":
        """Return the choices that a dialog put into a printer."""
        layout = printer.pageLayout()
        return cls(
            printer=printer.printerName(),
            paper=layout.pageSize().key(),
            landscape=layout.orientation() is QPageLayout.Orientation.Landscape,
            copies=printer.copyCount(),
            first=printer.fromPage(),
            last=printer.toPage(),
            duplex=printer.duplex().name,
            colour=printer.colorMode() is QPrinter.ColorMode.Color,
        )

    def text(self) -> str:
        """Return the choices as JSON."""
        return msgspec.json.encode(self).decode()

    @staticmethod
    def read(text: str) -> "PrintJob":
        """Return the choices from JSON."""
        return msgspec.json.decode(text.encode(), type=PrintJob)

"""Pages of a report, with vector drawings and page numbers."""

from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

from PySide6.QtCore import QMarginsF, QObject, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFont,
    QFontDatabase,
    QPagedPaintDevice,
    QPageLayout,
    QPageSize,
    QPainter,
    QPyTextObject,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.paper.paper_markup import PaperFigure, PaperMarkup
from app.paper.report_styles import ReportStyles
from scheduler.translation import _

_DPI = 96.0  # of the layout; one unit of it is a CSS pixel
_FOOT_PX = 28.0
_MARGIN_MM = 16.0
_MOST_BREAKS = 200  # headings that may move to the next page; bounds the number of layouts


class PageRange(NamedTuple):
    """Pages to print, from 1; 0 and 0 for all."""

    first: int = 0
    last: int = 0

    def has(self, page: int) -> bool:
        """Return True for a page of the range."""
        return not self.first or self.first <= page <= self.last


class _FigurePainter(QPyTextObject):
    """Painter of a document's images as vector drawings."""

    def __init__(self, figures: Sequence[PaperFigure], parent: QObject) -> None:
        super().__init__(parent)
        self._figures = figures
        self._drawings = [QSvgRenderer(figure.svg, self) for figure in figures]
        for drawing in self._drawings:
            drawing.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:  # noqa: ARG002, N803 - Qt's names
        """Return the size of a drawing; a figure takes its part of the line."""
        figure = self._figures[_number_of(format)]
        width, height = figure.size
        if figure.line_frac:
            width, height = (doc.pageSize().width() * figure.line_frac / width * size for size in figure.size)
        return QSizeF(width, height)

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,  # noqa: ARG002
        posInDocument: int,  # noqa: ARG002, N803
        format: QTextFormat,
    ) -> None:
        """Draw a drawing as shapes."""
        self._drawings[_number_of(format)].render(painter, QRectF(rect))


def _number_of(format: QTextFormat) -> int:
    return int(format.toImageFormat().name())


class PaperDocument:
    """Report laid out for one paper size.

    Args:
        html: The report, a page of HTML with its style sheet.
        layout: Paper size, orientation and margins.
    """

    def __init__(self, html: str, layout: QPageLayout) -> None:
        family = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
        reader = PaperMarkup(ReportStyles(html.partition("<style>")[2].partition("</style>")[0], family))
        reader.feed(html)
        reader.close()
        self.title = " ".join(reader.title.split())
        paper = layout.paintRect(QPageLayout.Unit.Inch).size() * _DPI
        self._size = QSizeF(paper.width(), paper.height() - _FOOT_PX)
        self._document = document = QTextDocument()
        document.setUseDesignMetrics(True)
        document.setDocumentMargin(0)
        document.setDefaultFont(QFont(family, 9))
        document.setDefaultStyleSheet(files("resources").joinpath("report", "paper.css").read_text(encoding="utf-8"))
        document.documentLayout().registerHandler(
            QTextFormat.ObjectTypes.ImageObject, _FigurePainter(reader.figures, document)
        )
        document.setPageSize(self._size)
        document.setHtml(reader.markup)
        self._keep_headings()

    @property
    def pages(self) -> int:
        """Number of pages."""
        return self._document.pageCount()

    def paint(self, device: QPagedPaintDevice, pages: PageRange = PageRange()) -> None:  # noqa: B008 - immutable
        """Paint pages on a PDF file or a printer.

        Args:
            device: Device with the layout of the constructor.
            pages: Pages to paint.

        Raises:
            OSError: The device takes no pages.
        """
        painter = QPainter()
        if not painter.begin(device):
            raise OSError(0, _("the file or the printer takes no pages"))
        numbers = [page for page in range(1, self.pages + 1) if pages.has(page)]
        for page in numbers:
            self._paint_page(painter, page, painter.device().logicalDpiX() / _DPI)
            if page != numbers[-1]:
                device.newPage()
        if not painter.end():
            raise OSError(0, _("the last page could not be written"))

    def _paint_page(self, painter: QPainter, page: int, scale: float) -> None:
        top = (page - 1) * self._size.height()
        painter.save()
        painter.scale(scale, scale)
        painter.save()
        painter.translate(0, -top)
        content = QAbstractTextDocumentLayout.PaintContext()
        content.clip = QRectF(QPointF(0, top), self._size)
        painter.setClipRect(content.clip)
        self._document.documentLayout().draw(painter, content)
        painter.restore()
        painter.setPen(Qt.GlobalColor.darkGray)
        font = QFont(self._document.defaultFont())
        font.setPixelSize(10)
        painter.setFont(font)
        foot = QRectF(0, self._size.height() + _FOOT_PX / 2, self._size.width(), _FOOT_PX / 2)
        number = f"{page} / {self.pages}"
        room = painter.fontMetrics().elidedText(self.title, Qt.TextElideMode.ElideRight, int(foot.width() - 60))
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, room)
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, number)
        painter.restore()

    def _keep_headings(self) -> None:
        """Move a heading to the next page if no text fits below it."""
        layout = self._document.documentLayout()
        block, moved = self._document.begin(), 0
        while block.isValid() and moved < _MOST_BREAKS:
            if block.blockFormat().headingLevel():
                top = layout.blockBoundingRect(block).top()
                if self._page_of(top) != self._page_of(_end_of_start(layout, block)):
                    form = block.blockFormat()
                    form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                    QTextCursor(block).setBlockFormat(form)
                    moved += 1
            block = block.next()
        self._document.markContentsDirty(0, self._document.characterCount())  # else Qt draws some blocks nowhere

    def _page_of(self, top_px: float) -> int:
        return int(top_px // self._size.height())


def _end_of_start(layout: QAbstractTextDocumentLayout, heading: QTextBlock) -> float:
    """Return the lower end of the lines that belong on a heading's page, pixels.

    These are the first lines of two blocks: a caption or a legend needs its table or its drawing.
    """
    end, block = layout.blockBoundingRect(heading).bottom(), heading
    for _unused in range(2):
        block = block.next()
        if not block.isValid():
            break
        height = block.layout().lineAt(0).height() if block.layout().lineCount() else 0.0
        end = max(end, layout.blockBoundingRect(block).top() + height)
    return end


def paper_layout(base: QPageLayout | None = None) -> QPageLayout:
    """Return A4, or the paper of a printer, with the margins of a report.

    Args:
        base: Layout of the printer; None for A4.
    """
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    size = QPageSize(QPageSize.PageSizeId.A4) if base is None else base.pageSize()
    orientation = QPageLayout.Orientation.Portrait if base is None else base.orientation()
    return QPageLayout(size, orientation, margins, QPageLayout.Unit.Millimeter)

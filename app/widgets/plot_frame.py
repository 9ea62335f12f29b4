"""A plot in its frame: title, unit, a table twin, and "Save..." as SVG, PNG or CSV."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QWidget

from app.glossary import term
from app.theme.theme import Theme
from app.widgets.buttons import tool
from app.widgets.card import Card
from app.widgets.message_bar import MessageBar
from app.widgets.simulated_ribbon import paint_ribbon
from app.widgets.table import Table, TableView
from app.widgets.themed_plot import ThemedPlot

_PNG_SCALE = 2.0
_RIBBON_PX = 26


class PlotFrame(Card):
    """The frame of one plot.

    Args:
        theme: Colours.
        title: What the plot shows.
        plot: The plot.
        table: Returns the plot's figures, in full; called when the table is shown, refreshed or saved.
        subtitle: One dim line: units, what the whiskers are.
        parent: Qt's parent.
    """

    def __init__(
        self,
        theme: Theme,
        title: str,
        plot: ThemedPlot,
        table: Callable[[], Table],
        subtitle: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(title, subtitle, parent)
        self._theme = theme
        self._provide = table
        self._simulated = False
        self.plot = plot
        self.table = TableView(self.tr("{title}: table").format(title=title))
        self.table_button = tool(theme, self.tr("Table"), "table", show_text=True, checkable=True)
        self.save_button = tool(theme, self.tr("Save..."), "save", show_text=True)
        self.table_button.setAccessibleName(self.tr("{title}: show as a table").format(title=title))
        self.save_button.setAccessibleName(self.tr("{title}: save").format(title=title))
        self.corner.addWidget(self.table_button)
        self.corner.addWidget(self.save_button)
        self._pages = QStackedWidget()
        self._pages.addWidget(plot)
        self._pages.addWidget(self.table)
        self.message = MessageBar(theme)
        self.body.addWidget(self._pages, 1)
        self.body.addWidget(self.message)
        self.table_button.toggled.connect(self._turn)
        self.save_button.clicked.connect(self._ask)

    def set_simulated(self, simulated: bool) -> None:  # noqa: FBT001 - a property's setter, as in Qt
        """Mark saved pictures and tables as simulated."""
        self._simulated = simulated

    def refresh_table(self) -> None:
        """Fill the table again, if it is shown."""
        if self.table_button.isChecked():
            self.table.set_table(self._provide())

    def save(self, path: Path) -> None:
        """Write the plot (`.svg`, `.png`) or its figures (`.csv`); raises OSError and ValueError (other suffix)."""
        match path.suffix.lower():
            case ".csv":
                head = f"# {term('simulated')[0]}\r\n" if self._simulated else ""
                path.write_text(head + self._provide().to_csv(), encoding="utf-8", newline="")
            case ".png":
                self._save_png(path)
            case ".svg":
                self._save_svg(path)
            case other:
                raise ValueError(self.tr("{suffix} is not a format; use .svg, .png or .csv").format(suffix=other))

    def _turn(self, shown: bool) -> None:  # noqa: FBT001 - Qt's slot
        self._pages.setCurrentWidget(self.table if shown else self.plot)
        self.refresh_table()

    def _ask(self) -> None:
        kinds = self.tr("Vector image (*.svg);;Image (*.png);;Table (*.csv)")
        name, kind = QFileDialog.getSaveFileName(self, self.tr("Save plot"), f"{self._file_stem()}.svg", kinds)
        if not name:
            return
        path = Path(name)
        if path.suffix.lower() not in {".svg", ".png", ".csv"}:
            path = path.with_name(path.name + kind[kind.index("*") + 1 : kind.index(")")])
        try:
            self.save(path)
        except OSError as error:
            text = self.tr("{path} could not be written: {reason}").format(path=path, reason=error.strerror)
            self.message.say("error", text, self.tr("Choose another folder, or free some space."))

    def _file_stem(self) -> str:
        words = "".join(c if c.isalnum() else "-" for c in self.heading.text().lower())
        return "-".join(filter(None, words.split("-")))

    def _save_png(self, path: Path) -> None:
        size = self._picture_size()
        image = QImage(size * _PNG_SCALE, QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(_PNG_SCALE)
        painter = QPainter(image)
        self._draw(painter, size)
        painter.end()
        if not image.save(str(path)):
            raise OSError(0, self.tr("the image could not be written"), str(path))

    def _save_svg(self, path: Path) -> None:
        with path.open("wb"):
            pass  # QSvgGenerator is silent about a file that it cannot open
        size = self._picture_size()
        made = QSvgGenerator()
        made.setFileName(str(path))
        made.setSize(size)
        made.setResolution(self.logicalDpiX())  # axes are recorded pictures: replayed at another one, they are scaled
        made.setViewBox(QRect(0, 0, size.width(), size.height()))
        made.setTitle(self.heading.text())
        painter = QPainter(made)
        self._draw(painter, size)
        painter.end()

    def _picture_size(self) -> QSize:
        return self.plot.size().expandedTo(QSize(480, 300)) + QSize(0, 36 + (_RIBBON_PX if self._simulated else 0))

    def _draw(self, painter: QPainter, size: QSize) -> None:
        """Draw title, plot and, where it is due, the ribbon."""
        colours = self._theme.palette
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRect(0, 0, size.width(), size.height()), QColor(colours.raised))
        top = 36
        painter.setFont(self.heading.font())
        painter.setPen(QColor(colours.text))
        painter.drawText(QRect(12, 0, size.width() - 24, top), Qt.AlignmentFlag.AlignVCenter, self.heading.text())
        if self._simulated:
            painter.setFont(self._theme.font())
            paint_ribbon(painter, QRect(0, top, size.width(), _RIBBON_PX), colours, term("simulated")[0])
            top += _RIBBON_PX
        area = QRectF(0, top, size.width(), size.height() - top)
        self.plot.render(painter, area, self.plot.viewport().rect(), Qt.AspectRatioMode.KeepAspectRatio)

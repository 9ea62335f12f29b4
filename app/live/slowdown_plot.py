"""How much longer each item takes on each side than on the base, with its interval: in percent or in milliseconds."""

from PySide6.QtCore import QCoreApplication

from app.display_texts import format_full, format_interval, format_signed_percent, typeset_text
from app.live.marks_plot import MarksPlot, PlotMark
from app.load_texts import load_name
from app.theme.theme import Theme
from scheduler.model.study_findings import OverheadFinding, SlowdownEstimate


def _tr(text: str) -> str:
    return QCoreApplication.translate("slowdown_plot", text)


class SlowdownPlot(MarksPlot):
    """A mark per item and side; all items together first.

    Args:
        theme: Colours and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        self._rows: tuple[SlowdownEstimate, ...] = ()
        self._in_ms = False
        super().__init__(theme, _tr("How much longer each item takes"))
        self.canvas.setLabel("bottom", self.tr("Item"))

    def show_finding(self, finding: OverheadFinding) -> None:
        """Show what a study found."""
        self._rows = (*finding.overall, *finding.items)
        self._arrange_marks()

    def show_ms(self, wanted: bool) -> None:  # noqa: FBT001 - a slot
        """Show milliseconds in place of percent; all items together have none."""
        self._in_ms = wanted
        self._arrange_marks()

    @property
    def drawn(self) -> list[tuple[SlowdownEstimate, PlotMark]]:
        """The slowdowns that are drawn, each with its mark."""
        return list(zip(self._visible_rows(), self.marks, strict=True))

    def _visible_rows(self) -> list[SlowdownEstimate]:
        return [row for row in self._rows if row.item or not self._in_ms]

    def _arrange_marks(self) -> None:
        rows = self._visible_rows()
        several = len({row.load for row in rows}) > 1
        keys = list(dict.fromkeys((row.load, row.item) for row in rows))
        ticks = [_tick_text(*key, several=several) for key in keys]
        self.canvas.setLabel("left", self.tr("Longer by (ms)") if self._in_ms else self.tr("Longer by (%)"))
        self.set_columns(ticks, list(dict.fromkeys(row.side for row in self._rows)))
        self.columns_axis.highlight_labels([tick for (_, item), tick in zip(keys, ticks, strict=True) if not item])
        self.set_marks([self._slowdown_mark(keys.index((row.load, row.item)), row) for row in rows])

    def _slowdown_mark(self, column: int, row: SlowdownEstimate) -> PlotMark:
        x, value, ends = self.place(column, row.side), 100 * row.slowdown_frac, None
        if self._in_ms:
            value, ends = row.side_ms - row.base_ms, row.added_ci95_ms
        elif row.ci95_frac is not None:
            ends = (100 * row.ci95_frac[0], 100 * row.ci95_frac[1])
        return PlotMark(x, value, ends, row.side, row.told_apart, row_words(row))


def row_words(row: SlowdownEstimate) -> str:
    """Return a slowdown's figures as rich text."""
    name = row.item or _tr("all items, mean")
    lines = [f"<b>{name}</b> &nbsp; {load_name(row.load)}, {typeset_text(row.side)}"]
    spans = [format_signed_percent(row.slowdown_frac)]
    if row.ci95_frac is not None:
        spans.append(f"({format_interval(*row.ci95_frac)})")
    lines.append(" ".join(spans))
    words = _tr("{side} ms instead of {base} ms; {n} blocks")
    lines.append(words.format(side=format_full(row.side_ms), base=format_full(row.base_ms), n=row.blocks))
    if row.ci95_frac is not None and not row.told_apart:
        lines.append(_tr("below the noise"))
    return "<br>".join(map(typeset_text, lines))


def _tick_text(load: str, item: str, *, several: bool) -> str:
    name = item or _tr("all")
    return f"{load_name(load)} {name}" if several and item != load_name(load) else name

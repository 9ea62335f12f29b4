"""What each of two guests loses while the other one is loaded, too: in all, and beyond what its share explains."""

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

from app.display_texts import format_interval, format_percent, format_rate, format_short, typeset_text
from app.live.marks_plot import MarksPlot, PlotMark
from app.load_texts import load_name
from app.theme.theme import Theme
from scheduler.model.isolation_findings import GuestLoss, IsolationFinding
from scheduler.model.sentence_texts import domain_title
from scheduler.model.split import GUEST


def _tr(text: str) -> str:
    return QCoreApplication.translate("neighbour_plot", text)


class GuestLossPlot(MarksPlot):
    """Two marks per guest at each split and mode: one in all, one beyond its share. Below 0 a guest gains.

    Args:
        theme: Colours and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, _tr("What a busy neighbour costs each guest"))
        self.canvas.setLabel("bottom", _tr("I/O domain : first guest : second guest, and what divides the CPU"))
        self.canvas.setLabel("left", _tr("Loses (% of its throughput alone)"))

    def show_finding(self, finding: IsolationFinding) -> None:
        """Show what a study found."""
        ticks = list(dict.fromkeys(map(tick_of, finding.costs)))
        guests = dict.fromkeys(map(guest_word, finding.costs))
        self.set_columns(ticks, [text.format(guest=guest) for guest in guests for text in _series_names()])
        self.set_marks([mark for cost in finding.costs for mark in self._marks(ticks.index(tick_of(cost)), cost)])

    def _marks(self, column: int, cost: GuestLoss) -> Iterator[PlotMark]:
        words, lost = cost_words(cost), ((cost.cost_frac, cost.ci95_frac), (cost.beyond_frac, cost.beyond_ci95_frac))
        for text, (frac, ends_frac) in zip(_series_names(), lost, strict=True):
            series = text.format(guest=guest_word(cost))
            ends = (100 * ends_frac[0], 100 * ends_frac[1]) if ends_frac is not None else None
            told_apart = ends is not None and not ends[0] <= 0.0 <= ends[1]
            yield PlotMark(self.place(column, series), 100 * frac, ends, series, told_apart, words)


def _series_names() -> tuple[str, str]:
    return _tr("{guest} guest, in all"), _tr("{guest} guest, beyond its share")


def tick_of(cost: GuestLoss) -> str:
    """Return what stands beneath a split's marks in one mode."""
    return f"{cost.split} {mode_word(cost)}"


def mode_word(cost: GuestLoss) -> str:
    """Return what divides the CPU."""
    return _tr("cap") if cost.mode == "partition" else _tr("weight")


def guest_word(cost: GuestLoss) -> str:
    """Return which of the two it is."""
    return _tr("first") if cost.guest == GUEST else _tr("second")


def cost_words(cost: GuestLoss) -> str:
    """Return the figures of one guest as rich text."""
    lines = [f"<b>{cost.split}</b> &nbsp; {mode_word(cost)}, {domain_title(cost.guest)}: {load_name(cost.load)}"]
    lines.append(_add_interval(_tr("loses {part} in all{span}"), cost.cost_frac, cost.ci95_frac))
    gains = cost.beyond_ci95_frac is not None and cost.beyond_ci95_frac[1] < 0
    beyond = _tr("nothing beyond its share") if gains else _tr("{part} beyond its share{span}")
    lines.append(_add_interval(beyond, cost.beyond_frac, cost.beyond_ci95_frac))
    told = _tr("{alone} alone, {both} together; {n} blocks")
    alone, both = (format_rate(each, cost.unit) for each in (cost.alone_tps, cost.both_tps))
    lines.append(told.format(alone=alone, both=both, n=cost.blocks))
    if cost.alone_cpus is not None and cost.both_cpus is not None:
        told = _tr("received {alone} CPUs alone, {both} together; its share is {share}")
        cpus = {"alone": cost.alone_cpus, "both": cost.both_cpus, "share": cost.configured_cpus}
        lines.append(told.format(**{name: format_short(value) for name, value in cpus.items()}))
    return "<br>".join(map(typeset_text, lines))


def _add_interval(text: str, frac: float, ends: tuple[float, float] | None) -> str:
    span = ""
    if ends is not None:
        span = f" ({format_interval(*ends)})"
    return text.format(part=format_percent(frac), span=span)

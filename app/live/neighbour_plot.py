"""What each of two guests loses while the other one is loaded, too: in all, and beyond what its share explains."""

from PySide6.QtCore import QCoreApplication

from app.live.marks_plot import Mark, MarksPlot
from app.load_words import load_name
from app.theme.theme import Theme
from app.words import percent, rate, short, typeset
from scheduler.model.neighbours import IsolationFinding, NeighbourCost
from scheduler.model.split import GUEST
from scheduler.model.words import domain_title


def _tr(text: str) -> str:
    return QCoreApplication.translate("neighbour_plot", text)


class NeighbourPlot(MarksPlot):
    """Two marks per split, mode and guest: one in all, one beyond the share. Below 0 a guest gains.

    Args:
        theme: Colours and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, _tr("What a busy neighbour costs each guest"))
        self.canvas.setLabel("bottom", _tr("I/O domain : guest : second guest, mode, and which guest"))
        self.canvas.setLabel("left", _tr("Loses (% of its throughput alone)"))

    def show_finding(self, finding: IsolationFinding) -> None:
        """Show what a study found."""
        whole, beyond = _tr("in all"), _tr("beyond its share")
        self.set_columns([tick_of(cost) for cost in finding.costs], [whole, beyond])
        marks: list[Mark] = []
        for column, cost in enumerate(finding.costs):
            words = cost_words(cost)
            parts = ((whole, cost.cost_frac, cost.ci95_frac), (beyond, cost.beyond_frac, cost.beyond_ci95_frac))
            for series, frac, ends_frac in parts:
                ends = (100 * ends_frac[0], 100 * ends_frac[1]) if ends_frac is not None else None
                told_apart = ends is not None and not ends[0] <= 0.0 <= ends[1]
                marks.append(Mark(self.place(column, series), 100 * frac, ends, series, told_apart, words))
        self.set_marks(marks)


def tick_of(cost: NeighbourCost) -> str:
    """Return what stands beneath a guest's marks."""
    return f"{cost.split} {mode_word(cost)}, {guest_word(cost)}"


def mode_word(cost: NeighbourCost) -> str:
    """Return what divides the CPU."""
    return _tr("cap") if cost.mode == "partition" else _tr("weight")


def guest_word(cost: NeighbourCost) -> str:
    """Return which of the two it is."""
    return _tr("first") if cost.guest == GUEST else _tr("second")


def cost_words(cost: NeighbourCost) -> str:
    """Return the figures of one guest as rich text."""
    lines = [f"<b>{cost.split}</b> &nbsp; {mode_word(cost)}, {domain_title(cost.guest)}: {load_name(cost.load)}"]
    lines.append(_span(_tr("loses {part} in all{span}"), cost.cost_frac, cost.ci95_frac))
    lines.append(_span(_tr("{part} beyond its share{span}"), cost.beyond_frac, cost.beyond_ci95_frac))
    told = _tr("{alone} alone, {both} together; {n} blocks")
    alone, both = (rate(each, cost.unit) for each in (cost.alone_tps, cost.both_tps))
    lines.append(told.format(alone=alone, both=both, n=cost.blocks))
    if cost.alone_cpus is not None and cost.both_cpus is not None:
        told = _tr("received {alone} CPUs alone, {both} together; its share is {share}")
        cpus = {"alone": cost.alone_cpus, "both": cost.both_cpus, "share": cost.configured_cpus}
        lines.append(told.format(**{name: short(value) for name, value in cpus.items()}))
    return "<br>".join(map(typeset, lines))


def _span(text: str, frac: float, ends: tuple[float, float] | None) -> str:
    span = ""
    if ends is not None:
        span = " " + _tr("({low} to {high})").format(low=percent(ends[0]), high=percent(ends[1]))
    return text.format(part=percent(frac), span=span)

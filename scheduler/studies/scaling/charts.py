"""Charts and tables of a scale-up study: throughput over vCPUs, and the reference."""

from collections.abc import Sequence

from scheduler.model.chart import Axis, AxisTick, Chart, Line, Mark, horizontal_line, load_series
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.load_kinds import rate_unit
from scheduler.model.number_texts import (
    format_interval,
    format_percent,
    format_percent_digits,
    format_short,
    format_vcpus,
)
from scheduler.model.reference_comparison import ReferenceRatio
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.model.setting import VcpusSetting
from scheduler.model.table import CellForm, Column, Table, TableCell
from scheduler.studies.scaling.declaration import SaturatedPart, ScaleUpFinding, VcpuStep, VcpuThroughput
from scheduler.translation import _

_SATURATION_TEXTS = {
    SaturatedPart.GUEST: _("guest full"),
    SaturatedPart.IO: _("I/O domain full"),
    SaturatedPart.BOTH: _("shared CPUs full"),
    SaturatedPart.CLIENT: _("users full"),
    SaturatedPart.NOTHING: _("waiting"),
    SaturatedPart.UNKNOWN: _("CPU not measured"),
}
_BRIEF_TEXTS = {
    SaturatedPart.GUEST: _("guest"),
    SaturatedPart.IO: "I/O",
    SaturatedPart.BOTH: _("the CPUs"),
    SaturatedPart.CLIENT: _("users"),
    SaturatedPart.NOTHING: _("nobody"),
    SaturatedPart.UNKNOWN: _("unknown"),
}
_LABEL_ROOM = 0.8  # doublings of space to the right of the last mark, for its label
_SPAN = "95 % interval"
_WHISKERS = _("95 % interval within blocks")
_STEP_COLUMNS = (
    Column("vCPUs", CellForm.NAME),
    Column(_("Load"), CellForm.LOAD),
    Column(_("Gain"), CellForm.CHANGE, span=_SPAN),
    Column(_("Per doubling"), CellForm.CHANGE, span=_SPAN),
    Column(_("I/O domain more"), CellForm.NUMBER, "CPUs", 3, _SPAN),
    Column(_("Blocks"), CellForm.COUNT),
    Column(_("Significant")),
)


def list_charts(finding: ScaleUpFinding, points: Sequence[MeasuredPoint]) -> tuple[Chart, ...]:
    """Return charts per load: normalised throughput, then the guest and its reference.

    Args:
        finding: The finding.
        points: Ignored.
    """
    del points
    loads = dict.fromkeys(size.load for size in finding.sizes)
    sizes = (_sizes_chart([size for size in finding.sizes if size.load == load]) for load in loads)
    reference_loads = dict.fromkeys(reference.load for reference in finding.references)
    references = (_natives_chart([one for one in finding.references if one.load == load]) for load in reference_loads)
    return (*sizes, *references)


def list_tables(finding: ScaleUpFinding, points: Sequence[MeasuredPoint]) -> tuple[Table, ...]:
    """Return the tables of numbers of vCPUs, steps, and guest against reference.

    Args:
        finding: The finding.
        points: Not used: the finding has all figures.
    """
    del points
    units = rate_unit([size.load for size in finding.sizes], {size.load: size.unit for size in finding.sizes})
    return (
        Table(
            title=_("Normalised throughput, CPU used and bottleneck, means over the blocks"),
            columns=(
                Column("vCPUs", CellForm.NAME),
                Column(_("Load"), CellForm.LOAD),
                Column(_("Mean"), CellForm.NUMBER, units),
                Column(_("Times the smallest"), CellForm.NUMBER, decimals=2, span=_SPAN),
                Column(_("Guest"), CellForm.NUMBER, "CPUs", 2),
                Column(_("I/O domain"), CellForm.NUMBER, "CPUs", 2),
                Column(_("Users busy"), CellForm.PERCENT),
                Column(_("Full")),
                Column(_("Blocks"), CellForm.COUNT),
            ),
            rows=tuple(map(_size_row, finding.sizes)),
        ),
        Table(
            title=_("Gain of each step, within blocks"),
            columns=_STEP_COLUMNS,
            rows=tuple(map(_step_row, finding.steps)),
        ),
        Table(
            title=_(
                "The guest against the reference (the same server on as many CPUs, reached directly), within blocks"
            ),
            columns=(
                Column("CPUs", CellForm.NAME),
                Column(_("Load"), CellForm.LOAD),
                Column(_("Guest"), CellForm.NUMBER, units),
                Column(_("Reference"), CellForm.NUMBER, units),
                Column(_("Of the reference"), CellForm.PERCENT, span=_SPAN),
                Column(_("Blocks"), CellForm.COUNT),
                Column(_("Significant")),
            ),
            rows=tuple(map(_reference_row, finding.references)),
        ),
    )


def brief_table(finding: ScaleUpFinding) -> Table:
    """Return the gain of each number of vCPUs.

    With a reference, its ratio replaces the CPU used.
    """
    if finding.references:
        note = _(
            "Times the smallest number, within blocks. Reference: in % of the same server on as many CPUs, reached "
            "directly."
        )
        added = (Column(_("Reference"), CellForm.NUMBER), Column("95 %"))
        rows = [(*_brief_row(size)[:3], *_reference_cells(size, finding.references)) for size in finding.sizes]
    else:
        note = _("Times the smallest number of vCPUs, within blocks. CPU used, in CPUs.")
        added = (Column("95 %"), Column(_("Guest"), CellForm.NUMBER), Column("I/O", CellForm.NUMBER))
        rows = [(*_brief_row(size), size.guest_cpus, size.io_cpus) for size in finding.sizes]
    columns = (
        Column(_("Load"), CellForm.LOAD),
        Column("vCPUs", CellForm.COUNT),
        Column(_("Times"), CellForm.NUMBER),
        *added,
        Column(_("Full")),
    )
    full = [(*row, _BRIEF_TEXTS[size.filled]) for row, size in zip(rows, finding.sizes, strict=True)]
    skipped = int(len({size.load for size in finding.sizes}) == 1)  # the plot names a single load
    return Table(
        title=_("Gain of more vCPUs"), note=note, columns=columns[skipped:], rows=tuple(row[skipped:] for row in full)
    )


def _vcpus_axis(title: str, numbers: Sequence[int]) -> Axis:
    positions = [VcpusSetting(number).position for number in numbers]
    ticks = tuple(AxisTick(at, str(number)) for at, number in zip(positions, numbers, strict=True))
    return Axis(title=title, ticks=ticks, ends=(positions[0] - 0.25, positions[-1] + _LABEL_ROOM))


def _sizes_chart(sizes: Sequence[VcpuThroughput]) -> Chart:
    first, title = sizes[0], load_title(sizes[0].load)
    return Chart(
        title=_("Normalised throughput of {title} over vCPUs of the guest").format(title=title),
        x=_vcpus_axis(_("vCPUs of the guest (logarithmic)"), [size.vcpus for size in sizes]),
        y=Axis(title=_("times {vcpus}").format(vcpus=format_vcpus(first.vcpus))),
        series=(load_series(first.load, title),),
        marks=tuple(map(_size_mark, sizes)),
        lines=(
            Line(
                tuple((VcpusSetting(size.vcpus).position, size.vcpus / first.vcpus) for size in sizes),
                _("twice the vCPUs, twice the work"),
            ),
        ),
        whiskers=_WHISKERS,
    )


def _size_mark(size: VcpuThroughput) -> Mark:
    ratio, full = _ratio_of(size), _SATURATION_TEXTS[size.filled]
    span = (
        _(" ({low} to {high})").format(low=format_short(ratio.low), high=format_short(ratio.high))
        if ratio.low and ratio.high
        else ""
    )
    times = _("{ratio} times{span}").format(ratio=format_short(size.ratio), span=span)
    tip = (str(size.vcpus), times, format_load_rate(size.mean_tps, size.load, size.unit), full)
    return Mark(VcpusSetting(size.vcpus).position, ratio, 0, tip, label=f"{format_short(size.ratio)}, {full}")


def _natives_chart(references: Sequence[ReferenceRatio]) -> Chart:
    title = load_title(references[0].load)
    x = _vcpus_axis(_("vCPUs of the guest, CPUs of the reference (logarithmic)"), [one.vcpus for one in references])
    return Chart(
        title=_("Share of the reference that {title} reaches, over vCPUs of the guest").format(title=title),
        x=x,
        y=Axis(title=_("% of the reference on as many CPUs")),
        series=(load_series(references[0].load, title, joined=False),),
        marks=tuple(map(_reference_mark, references)),
        lines=(horizontal_line(x, 100.0),),
        whiskers=_WHISKERS,
        hollow=_("within noise"),
    )


def _reference_mark(reference: ReferenceRatio) -> Mark:
    span = f" ({format_interval(*reference.ci95)})" if reference.ci95 else ""
    rates = (format_load_rate(tps, reference.load, reference.unit) for tps in (reference.guest_tps, reference.base_tps))
    noise = () if reference.differs_from_base else (_("within noise"),)
    tip = (
        str(reference.vcpus),
        _("{ratio} of the reference{span}").format(ratio=format_percent(reference.ratio), span=span),
        *noise,
        " against ".join(rates),
    )
    label = ", ".join((format_percent(reference.ratio), *noise))
    y = reference.of_base.scaled(100)
    return Mark(VcpusSetting(reference.vcpus).position, y, 0, tip, not reference.differs_from_base, label)


def _ratio_of(size: VcpuThroughput) -> Estimate:
    return estimate_of(size.ratio, size.ci95)


def _size_row(size: VcpuThroughput) -> tuple[TableCell, ...]:
    return (
        str(size.vcpus),
        size.load,
        size.mean_tps,
        _ratio_of(size),
        size.guest_cpus,
        size.io_cpus,
        size.client_frac,
        _SATURATION_TEXTS[size.filled],
        size.blocks,
    )


def _step_row(step: VcpuStep) -> tuple[TableCell, ...]:
    io_added = estimate_of(step.io_added_cpus, step.io_added_ci95_cpus) if step.io_added_cpus is not None else None
    return (
        _("{fewer} to {more}").format(fewer=step.fewer, more=step.more),
        step.load,
        step.gain,
        estimate_of(step.doubling_frac, step.doubling_ci95_frac),
        io_added,
        step.blocks,
        "yes" if step.gain.differs_from() else _("below the noise"),
    )


def _reference_row(reference: ReferenceRatio) -> tuple[TableCell, ...]:
    return (
        str(reference.vcpus),
        reference.load,
        reference.guest_tps,
        reference.base_tps,
        reference.of_base,
        reference.blocks,
        "yes" if reference.differs_from_base else _("within noise"),
    )


def _brief_row(size: VcpuThroughput) -> tuple[TableCell, ...]:
    return size.load, size.vcpus, size.ratio, " to ".join(map(format_short, size.ci95)) if size.ci95 else None


def _reference_cells(size: VcpuThroughput, references: Sequence[ReferenceRatio]) -> tuple[TableCell, TableCell]:
    """Return the guest's throughput in percent of the reference, and its interval."""
    found = next((each for each in references if (each.load, each.vcpus) == (size.load, size.vcpus)), None)
    if found is None or found.ci95 is None:
        return (100 * found.ratio if found else None), None
    noise = "" if found.differs_from_base else ", noise"
    return 100 * found.ratio, f"{' to '.join(map(format_percent_digits, found.ci95))}{noise}"

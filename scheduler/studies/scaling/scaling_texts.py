"""Sentences about the finding of a scale-up study.

An effect within the noise is never called a gain, or a loss.
"""

from collections.abc import Sequence

from scheduler.model.estimate import estimate_of
from scheduler.model.number_texts import (
    format_interval,
    format_percent,
    format_short,
    format_signed_percent,
    format_vcpus,
)
from scheduler.model.reference_comparison import ReferenceRatio
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.studies.scaling.declaration import SaturatedPart, VcpuStep, VcpuThroughput
from scheduler.translation import _

WORTHWHILE_FRAC = 0.05
"""Gain, as a fraction, below which a step is not worthwhile: the upper end of its interval is compared."""

NO_STEP_TEXT = _("No answer: no block has two numbers of vCPUs.")

_IS = {True: "are", False: "is"}
_SATURATION_TEXTS = {
    SaturatedPart.GUEST: _("the guest is full"),
    SaturatedPart.IO: _("the I/O domain is full"),
    SaturatedPart.BOTH: _("the CPUs that both domains share are full"),
    SaturatedPart.CLIENT: _("the load generator is saturated, so the figure is a lower bound"),
    SaturatedPart.NOTHING: _("no CPU is saturated: waiting limits the rate (locks, disk, network)"),
    SaturatedPart.UNKNOWN: _("the CPU of the domains was not measured"),
}


def sufficient_vcpus(steps: Sequence[VcpuStep]) -> int:
    """Return the number of vCPUs up to which every step certainly gains."""
    best = steps[0].fewer
    for step in steps:
        if not step.gains:
            break
        best = step.more
    return best


def is_step_beyond_useless(steps: Sequence[VcpuStep]) -> bool:
    """Return True when the step beyond `sufficient_vcpus` is certainly not worthwhile.

    Its gain is below `WORTHWHILE_FRAC`, or it is a loss.
    """
    beyond = _first_unsure_step(steps)
    return beyond is not None and beyond.ci95_frac is not None and beyond.ci95_frac[1] < WORTHWHILE_FRAC


def vcpus_text(number: int) -> str:
    """Return `1 vCPU`, `2 vCPUs`."""
    return format_vcpus(number)


def scaling_headline(steps: Sequence[VcpuStep], sizes: Sequence[VcpuThroughput], where: str) -> str:
    """Return the answer for one load, as a clause without a full stop.

    Args:
        steps: The steps, at least one.
        sizes: The numbers of vCPUs.
        where: Title of the load; empty where the plan has one load only.
    """
    under = _(" under {where}").format(where=where) if where else ""
    if any(step.ci95_frac is None for step in steps):
        gains = ", ".join(
            _("{fewer} to {more} {gain_frac}").format(
                fewer=step.fewer, more=step.more, gain_frac=format_signed_percent(step.gain_frac)
            )
            for step in steps
        )
        return _("too few blocks to measure gains{under}: {gains}").format(under=under, gains=gains)
    best, beyond = sufficient_vcpus(steps), _first_unsure_step(steps)
    if beyond is None or beyond.ci95_frac is None:
        return _("each step gains{under} ({gains}), up to the most that were tried").format(
            under=under, gains=_gains_text(steps)
        )
    size = next((each for each in sizes if each.vcpus == best), None)
    times = (
        _(", {ratio} times the throughput of {fewer}").format(ratio=format_short(size.ratio), fewer=steps[0].fewer)
        if size and best > steps[0].fewer
        else ""
    )
    if is_step_beyond_useless(steps):
        return _("{vcpus} {value} enough{under}{times} ({gains})").format(
            vcpus=vcpus_text(best), value=_IS[best > 1], under=under, times=times, gains=_gains_text(steps)
        )
    span = f"{format_signed_percent(beyond.gain_frac)}, {format_interval(*beyond.ci95_frac)}"
    sure = (
        _("{vcpus} {value} worth it{times}; ").format(vcpus=vcpus_text(best), value=_IS[best > 1], times=times)
        if times
        else ""
    )
    return _("{sure}a gain of {more} over {best} is not significant{under} ({span})").format(
        sure=sure, more=beyond.more, best=best, under=under, span=span
    )


def step_sentence(step: VcpuStep) -> str:
    """Return the gain of one step, as a sentence."""
    what = _("{load}, {fewer} to {vcpus}: {gain_frac}").format(
        load=load_title(step.load),
        fewer=step.fewer,
        vcpus=vcpus_text(step.more),
        gain_frac=format_signed_percent(step.gain_frac),
    )
    if step.ci95_frac is None:
        return _("{what}; too few blocks for an interval ({blocks}).").format(what=what, blocks=step.blocks)
    noise = "" if step.gain.differs_from() else _(", within noise")
    text = _("{what} ({ci95_frac}{noise}; {blocks} blocks)").format(
        what=what, ci95_frac=format_interval(*step.ci95_frac), noise=noise, blocks=step.blocks
    )
    if step.more != 2 * step.fewer and step.doubling_ci95_frac:
        text += _("; per doubling {doubling_frac} ({doubling_ci95_frac})").format(
            doubling_frac=format_signed_percent(step.doubling_frac),
            doubling_ci95_frac=format_interval(*step.doubling_ci95_frac),
        )
    return f"{text}."


def reference_clause(references: Sequence[ReferenceRatio]) -> str:
    """Return the guest's share of the reference at the largest number, as a clause.

    Empty with too few blocks.
    """
    if not references or references[-1].ci95 is None:
        return ""
    last, where = references[-1], _("with {vcpus}").format(vcpus=vcpus_text(references[-1].vcpus))
    if not last.differs_from_base:
        return _("{where} no significant difference from the reference ({ci95} of it)").format(
            where=where, ci95=format_interval(*references[-1].ci95)
        )
    return _("{where} it reaches {ratio} of the reference ({ci95})").format(
        where=where, ratio=format_percent(last.ratio), ci95=format_interval(*references[-1].ci95)
    )


def reference_sentence(reference: ReferenceRatio) -> str:
    """Return the guest's share of the reference at one number, as a sentence."""
    where = _("{load} at {vcpus}").format(load=load_title(reference.load), vcpus=vcpus_text(reference.vcpus))
    what = _("{where}: {ratio} of the reference").format(where=where, ratio=format_percent(reference.ratio))
    if reference.ci95 is None:
        return _("{what}; too few blocks for an interval ({blocks}).").format(what=what, blocks=reference.blocks)
    noise = "" if reference.differs_from_base else _(", within noise")
    return _("{what} ({ci95}{noise}; {blocks} blocks).").format(
        what=what, ci95=format_interval(*reference.ci95), noise=noise, blocks=reference.blocks
    )


def size_sentence(size: VcpuThroughput) -> str:
    """Return the limit at a number of vCPUs, with its figures, as a sentence."""
    what = _("{load} at {vcpus}: {saturation_texts}").format(
        load=load_title(size.load), vcpus=vcpus_text(size.vcpus), saturation_texts=_SATURATION_TEXTS[size.filled]
    )
    if size.guest_cpus is None:
        return f"{what}."
    io = _(", the I/O domain {io_cpus}").format(io_cpus=format_short(size.io_cpus)) if size.io_cpus is not None else ""
    busy = (
        _(", the users {client_frac} of theirs").format(client_frac=format_percent(size.client_frac))
        if size.client_frac
        else ""
    )
    made = format_load_rate(size.mean_tps, size.load, size.unit)
    return _("{what} (the guest used {guest_cpus} CPUs{io}{busy}; {made}).").format(
        what=what, guest_cpus=format_short(size.guest_cpus), io=io, busy=busy, made=made
    )


def io_change_sentence(step: VcpuStep) -> str:
    """Return a sentence on the change of the I/O domain's CPU by a step.

    Empty where the change is within the noise.
    """
    ends = step.io_added_ci95_cpus
    if step.io_added_cpus is None or ends is None or not estimate_of(step.io_added_cpus, ends).differs_from():
        return ""
    name = load_title(step.load)
    low, high = sorted(map(abs, ends))
    span = _("{io_added_cpus} CPUs ({low} to {high})").format(
        io_added_cpus=format_short(abs(step.io_added_cpus)), low=format_short(low), high=format_short(high)
    )
    which = _("second vCPU takes") if step.more == 2 else _("step to {more} vCPUs takes").format(more=step.more)
    if step.io_added_cpus < 0 and not step.gains:
        return _("{name}: the {which} {span} from the I/O domain, and throughput does not rise for it.").format(
            name=name, which=which, span=span
        )
    if step.io_added_cpus < 0:
        return _("{load}: at {more} vCPUs the I/O domain uses {span} less than at {fewer}.").format(
            load=load_title(step.load), more=step.more, span=span, fewer=step.fewer
        )
    return _("{load}: at {more} vCPUs the I/O domain uses {span} more for the guest.").format(
        load=load_title(step.load), more=step.more, span=span
    )


def scaling_advice(steps: Sequence[VcpuStep], sizes: Sequence[VcpuThroughput]) -> list[str]:
    """Return advice for one load; nothing where there are too few blocks.

    Args:
        steps: The steps.
        sizes: The numbers of vCPUs.
    """
    if not steps or any(step.ci95_frac is None for step in steps):
        return []
    best, beyond, name = sufficient_vcpus(steps), _first_unsure_step(steps), load_title(steps[0].load)
    filled = next((size.filled for size in sizes if size.vcpus == best), SaturatedPart.UNKNOWN)
    if beyond is not None and not is_step_beyond_useless(steps):
        said = [
            _("{name}: repeat more often (repeats) or longer to measure the gain of {vcpus}.").format(
                name=name, vcpus=vcpus_text(beyond.more)
            )
        ]
    else:
        try_more = beyond is None and filled is SaturatedPart.GUEST
        said = [
            _("{name}: give the guest {vcpus}{value}.").format(
                name=name, vcpus=vcpus_text(best), value=_(", or try more") if try_more else ""
            )
        ]
    if filled in (SaturatedPart.IO, SaturatedPart.BOTH):
        said.append(
            _("{name}: the I/O domain also lacks CPU. Sweep the split at {vcpus}.").format(
                name=name, vcpus=vcpus_text(best)
            )
        )
    if filled is SaturatedPart.CLIENT:
        said.append(
            _("{name}: give the load generator more CPUs, or other computers, and measure again.").format(name=name)
        )
    worse = [step for step in steps if step.ci95_frac and step.ci95_frac[1] < 0]
    said += [
        _("{name}: {more} vCPUs cost {gain_frac} against {fewer}.").format(
            name=name, more=step.more, gain_frac=format_percent(-step.gain_frac), fewer=step.fewer
        )
        for step in worse
    ]
    return said


def _first_unsure_step(steps: Sequence[VcpuStep]) -> VcpuStep | None:
    """Return the first step without a certain gain; None where all steps gain."""
    return next((step for step in steps if not step.gains), None)


def _gains_text(steps: Sequence[VcpuStep]) -> str:
    return ", ".join(
        _("{fewer} to {more}: {gain_frac}").format(
            fewer=step.fewer, more=step.more, gain_frac=format_signed_percent(step.gain_frac)
        )
        for step in steps
    )

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

WORTHWHILE_FRAC = 0.05
"""Gain, as a fraction, below which a step is not worthwhile: the upper end of its interval is compared."""

NO_STEP_TEXT = "No answer: no block has two numbers of vCPUs."

_IS = {True: "are", False: "is"}
_SATURATION_TEXTS = {
    SaturatedPart.GUEST: "the guest is full",
    SaturatedPart.IO: "the I/O domain is full",
    SaturatedPart.BOTH: "the CPUs that both domains share are full",
    SaturatedPart.CLIENT: "the load generator is saturated, so the figure is a lower bound",
    SaturatedPart.NOTHING: "no CPU is saturated: waiting limits the rate (locks, disk, network)",
    SaturatedPart.UNKNOWN: "the CPU of the domains was not measured",
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
    under = f" under {where}" if where else ""
    if any(step.ci95_frac is None for step in steps):
        gains = ", ".join(f"{step.fewer} to {step.more} {format_signed_percent(step.gain_frac)}" for step in steps)
        return f"too few blocks to measure gains{under}: {gains}"
    best, beyond = sufficient_vcpus(steps), _first_unsure_step(steps)
    if beyond is None or beyond.ci95_frac is None:
        return f"each step gains{under} ({_gains_text(steps)}), up to the most that were tried"
    size = next((each for each in sizes if each.vcpus == best), None)
    times = (
        f", {format_short(size.ratio)} times the throughput of {steps[0].fewer}"
        if size and best > steps[0].fewer
        else ""
    )
    if is_step_beyond_useless(steps):
        return f"{vcpus_text(best)} {_IS[best > 1]} enough{under}{times} ({_gains_text(steps)})"
    span = f"{format_signed_percent(beyond.gain_frac)}, {format_interval(*beyond.ci95_frac)}"
    sure = f"{vcpus_text(best)} {_IS[best > 1]} worth it{times}; " if times else ""
    return f"{sure}a gain of {beyond.more} over {best} is not significant{under} ({span})"


def step_sentence(step: VcpuStep) -> str:
    """Return the gain of one step, as a sentence."""
    what = f"{load_title(step.load)}, {step.fewer} to {vcpus_text(step.more)}: {format_signed_percent(step.gain_frac)}"
    if step.ci95_frac is None:
        return f"{what}; too few blocks for an interval ({step.blocks})."
    noise = "" if step.gain.differs_from() else ", within noise"
    text = f"{what} ({format_interval(*step.ci95_frac)}{noise}; {step.blocks} blocks)"
    if step.more != 2 * step.fewer and step.doubling_ci95_frac:
        text += (
            f"; per doubling {format_signed_percent(step.doubling_frac)} ({format_interval(*step.doubling_ci95_frac)})"
        )
    return f"{text}."


def reference_clause(references: Sequence[ReferenceRatio]) -> str:
    """Return the guest's share of the reference at the largest number, as a clause.

    Empty with too few blocks.
    """
    if not references or references[-1].ci95 is None:
        return ""
    last, where = references[-1], f"with {vcpus_text(references[-1].vcpus)}"
    if not last.differs_from_base:
        return f"{where} no significant difference from the reference ({format_interval(*references[-1].ci95)} of it)"
    return f"{where} it reaches {format_percent(last.ratio)} of the reference ({format_interval(*references[-1].ci95)})"


def reference_sentence(reference: ReferenceRatio) -> str:
    """Return the guest's share of the reference at one number, as a sentence."""
    where = f"{load_title(reference.load)} at {vcpus_text(reference.vcpus)}"
    what = f"{where}: {format_percent(reference.ratio)} of the reference"
    if reference.ci95 is None:
        return f"{what}; too few blocks for an interval ({reference.blocks})."
    noise = "" if reference.differs_from_base else ", within noise"
    return f"{what} ({format_interval(*reference.ci95)}{noise}; {reference.blocks} blocks)."


def size_sentence(size: VcpuThroughput) -> str:
    """Return the limit at a number of vCPUs, with its figures, as a sentence."""
    what = f"{load_title(size.load)} at {vcpus_text(size.vcpus)}: {_SATURATION_TEXTS[size.filled]}"
    if size.guest_cpus is None:
        return f"{what}."
    io = f", the I/O domain {format_short(size.io_cpus)}" if size.io_cpus is not None else ""
    busy = f", the users {format_percent(size.client_frac)} of theirs" if size.client_frac else ""
    made = format_load_rate(size.mean_tps, size.load, size.unit)
    return f"{what} (the guest used {format_short(size.guest_cpus)} CPUs{io}{busy}; {made})."


def io_change_sentence(step: VcpuStep) -> str:
    """Return a sentence on the change of the I/O domain's CPU by a step.

    Empty where the change is within the noise.
    """
    ends = step.io_added_ci95_cpus
    if step.io_added_cpus is None or ends is None or not estimate_of(step.io_added_cpus, ends).differs_from():
        return ""
    name = load_title(step.load)
    low, high = sorted(map(abs, ends))
    span = f"{format_short(abs(step.io_added_cpus))} CPUs ({format_short(low)} to {format_short(high)})"
    which = "second vCPU takes" if step.more == 2 else f"step to {step.more} vCPUs takes"
    if step.io_added_cpus < 0 and not step.gains:
        return f"{name}: the {which} {span} from the I/O domain, and throughput does not rise for it."
    if step.io_added_cpus < 0:
        return f"{load_title(step.load)}: at {step.more} vCPUs the I/O domain uses {span} less than at {step.fewer}."
    return f"{load_title(step.load)}: at {step.more} vCPUs the I/O domain uses {span} more for the guest."


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
        said = [f"{name}: repeat more often (repeats) or longer to measure the gain of {vcpus_text(beyond.more)}."]
    else:
        try_more = beyond is None and filled is SaturatedPart.GUEST
        said = [f"{name}: give the guest {vcpus_text(best)}{', or try more' if try_more else ''}."]
    if filled in (SaturatedPart.IO, SaturatedPart.BOTH):
        said.append(f"{name}: the I/O domain also lacks CPU. Sweep the split at {vcpus_text(best)}.")
    if filled is SaturatedPart.CLIENT:
        said.append(f"{name}: give the load generator more CPUs, or other computers, and measure again.")
    worse = [step for step in steps if step.ci95_frac and step.ci95_frac[1] < 0]
    said += [
        f"{name}: {step.more} vCPUs cost {format_percent(-step.gain_frac)} against {step.fewer}." for step in worse
    ]
    return said


def _first_unsure_step(steps: Sequence[VcpuStep]) -> VcpuStep | None:
    """Return the first step without a certain gain; None where all steps gain."""
    return next((step for step in steps if not step.gains), None)


def _gains_text(steps: Sequence[VcpuStep]) -> str:
    return ", ".join(f"{step.fewer} to {step.more}: {format_signed_percent(step.gain_frac)}" for step in steps)

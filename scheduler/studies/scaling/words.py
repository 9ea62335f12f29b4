"""What a scale-up study found, in words: nothing that noise could have made is called a gain, or a loss."""

from collections.abc import Sequence

from scheduler.model.findings import Filled, Size, Step
from scheduler.model.words import interval, load_title, percent, rate, short, signed_percent

NOTHING = "No answer: no block has two numbers of vCPUs."

_FULL = {
    Filled.GUEST: "the guest is full",
    Filled.IO: "the I/O domain is full",
    Filled.BOTH: "the CPUs that both domains share are full",
    Filled.CLIENT: "the load generator is full, so the figure is a lower bound",
    Filled.NOTHING: "nobody is out of CPU: waiting sets the pace (locks, disk, round trip)",
    Filled.UNKNOWN: "the CPU of the domains was not measured",
}


def enough(steps: Sequence[Step]) -> int:
    """Return the number beyond which no step surely gains, of at least one step: that of the last one that does."""
    best = steps[0].fewer
    for step in steps:
        best = step.more if step.gains else best
    return best


def vcpus(number: int) -> str:
    """Return `1 vCPU`, `2 vCPUs`."""
    return f"{number} vCPU{'' if number == 1 else 's'}"


def headline(steps: Sequence[Step], sizes: Sequence[Size], where: str) -> str:
    """Return the answer for one load, as a clause without a full stop."""
    under = f" under {where}" if where else ""
    if any(step.ci95_frac is None for step in steps):
        told = ", ".join(f"{step.fewer} to {step.more} {signed_percent(step.gain_frac)}" for step in steps)
        return f"too few blocks to tell gains from noise{under}: {told}"
    best = enough(steps)
    if best == steps[-1].more:
        return f"each doubling gains{under} ({_gains(steps)}), up to the most that were tried"
    if best == steps[0].fewer:
        return f"more than {vcpus(best)} gain nothing beyond noise{under} ({_gains(steps)})"
    size = next((each for each in sizes if each.vcpus == best), None)
    times = f", {short(size.ratio)} times the throughput of {steps[0].fewer}" if size else ""
    return f"{vcpus(best)} are enough{under}{times}; more gain nothing beyond noise ({_gains(steps)})"


def step_line(step: Step) -> str:
    """Return what one step gains, as a sentence."""
    what = f"{load_title(step.load)}, {step.fewer} to {vcpus(step.more)}: {signed_percent(step.gain_frac)}"
    if step.ci95_frac is None:
        return f"{what}; too few blocks for an interval ({step.blocks})."
    noise = "" if step.told_apart else ", within noise"
    text = f"{what} ({interval(*step.ci95_frac)}{noise}; {step.blocks} blocks)"
    if step.more != 2 * step.fewer and step.doubling_ci95_frac:
        text += f"; per doubling {signed_percent(step.doubling_frac)} ({interval(*step.doubling_ci95_frac)})"
    return f"{text}."


def size_line(size: Size) -> str:
    """Return what limits a number of vCPUs, with its figures, as a sentence."""
    what = f"{load_title(size.load)} at {vcpus(size.vcpus)}: {_FULL[size.filled]}"
    if size.guest_cpus is None:
        return f"{what}."
    io = f", the I/O domain {short(size.io_cpus)}" if size.io_cpus is not None else ""
    busy = f", the users {percent(size.client_frac)} of theirs" if size.client_frac else ""
    made = rate(size.mean_tps, size.load, size.unit)
    return f"{what} (the guest received {short(size.guest_cpus)} CPUs{io}{busy}; {made})."


def taken_line(step: Step) -> str:
    """Return that the step takes CPU from the I/O domain, or gives it some; empty where noise could have made it."""
    ends = step.io_added_ci95_cpus
    if step.io_added_cpus is None or ends is None or ends[0] <= 0.0 <= ends[1]:
        return ""
    name = load_title(step.load)
    span = f"{percent(abs(step.io_added_cpus))} of a CPU ({interval(*sorted(map(abs, ends)))})"
    which = "second vCPU takes" if step.more == 2 else f"step to {step.more} vCPUs takes"
    if step.io_added_cpus < 0 and not step.gains:
        return f"{name}: the {which} {span} from the I/O domain, and throughput does not rise for it."
    if step.io_added_cpus < 0:
        return (
            f"{load_title(step.load)}: at {step.more} vCPUs the I/O domain receives {span} less than at {step.fewer}."
        )
    return (
        f"{load_title(step.load)}: at {step.more} vCPUs the I/O domain receives {span} more, for what the guest asks."
    )


def advice(steps: Sequence[Step], sizes: Sequence[Size]) -> list[str]:
    """Return what to do about one load; nothing where too few blocks tell."""
    if not steps or any(step.ci95_frac is None for step in steps):
        return []
    best, name = enough(steps), load_title(steps[0].load)
    filled = next((size.filled for size in sizes if size.vcpus == best), Filled.UNKNOWN)
    more = best == steps[-1].more
    said = [f"{name}: give the guest {vcpus(best)}{', or try more' if more and filled is Filled.GUEST else ''}."]
    if filled in (Filled.IO, Filled.BOTH):
        said.append(f"{name}: more vCPUs cannot help until the I/O domain gets more CPU: study the split at {best}.")
    if filled is Filled.CLIENT:
        said.append(f"{name}: give the load generator more CPUs, or other computers, and measure again.")
    worse = [step for step in steps if step.ci95_frac and step.ci95_frac[1] < 0]
    said += [f"{name}: {step.more} vCPUs cost {percent(-step.gain_frac)} against {step.fewer}." for step in worse]
    return said


def _gains(steps: Sequence[Step]) -> str:
    return ", ".join(f"{step.fewer} to {step.more}: {signed_percent(step.gain_frac)}" for step in steps)

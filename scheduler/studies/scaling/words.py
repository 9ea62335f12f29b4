"""What a scale-up study found, in words: nothing that noise could have made is called a gain, or a loss."""

from collections.abc import Sequence

from scheduler.model.findings import Filled, Size, Step
from scheduler.model.natives import Native
from scheduler.model.number_texts import interval, percent, short, signed_percent
from scheduler.model.words import load_title, rate

WORTH_FRAC = 0.05
"""A step is worth nothing where its interval ends below so much of a gain."""

NOTHING = "No answer: no block has two numbers of vCPUs."

_IS = {True: "are", False: "is"}
_FULL = {
    Filled.GUEST: "the guest is full",
    Filled.IO: "the I/O domain is full",
    Filled.BOTH: "the CPUs that both domains share are full",
    Filled.CLIENT: "the load generator is full, so the figure is a lower bound",
    Filled.NOTHING: "nobody is out of CPU: waiting sets the pace (locks, disk, round trip)",
    Filled.UNKNOWN: "the CPU of the domains was not measured",
}


def enough(steps: Sequence[Step]) -> int:
    """Return the number up to which every step surely gains, of at least one step."""
    best = steps[0].fewer
    for step in steps:
        if not step.gains:
            break
        best = step.more
    return best


def ends(steps: Sequence[Step]) -> bool:
    """Return whether it is sure that the step beyond `enough` is worth nothing: too little to be a gain, or a loss."""
    beyond = _beyond(steps)
    return beyond is not None and beyond.ci95_frac is not None and beyond.ci95_frac[1] < WORTH_FRAC


def vcpus(number: int) -> str:
    """Return `1 vCPU`, `2 vCPUs`."""
    return f"{number} vCPU{'' if number == 1 else 's'}"


def headline(steps: Sequence[Step], sizes: Sequence[Size], where: str) -> str:
    """Return the answer for one load, as a clause without a full stop."""
    under = f" under {where}" if where else ""
    if any(step.ci95_frac is None for step in steps):
        told = ", ".join(f"{step.fewer} to {step.more} {signed_percent(step.gain_frac)}" for step in steps)
        return f"too few blocks to tell gains from noise{under}: {told}"
    best, beyond = enough(steps), _beyond(steps)
    if beyond is None or beyond.ci95_frac is None:
        return f"each step gains{under} ({_gains(steps)}), up to the most that were tried"
    size = next((each for each in sizes if each.vcpus == best), None)
    times = f", {short(size.ratio)} times the throughput of {steps[0].fewer}" if size and best > steps[0].fewer else ""
    if ends(steps):
        return f"{vcpus(best)} {_IS[best > 1]} enough{under}{times} ({_gains(steps)})"
    span = f"{signed_percent(beyond.gain_frac)}, {interval(*beyond.ci95_frac)}"
    sure = f"{vcpus(best)} {_IS[best > 1]} worth it{times}; " if times else ""
    return f"{sure}whether {beyond.more} gain anything over {best} is not told from noise{under} ({span})"


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


def native_clause(natives: Sequence[Native]) -> str:
    """Return what the guest reaches of native at the largest number, as a clause; empty where too few blocks tell."""
    if not natives or natives[-1].ci95 is None:
        return ""
    last, where = natives[-1], f"with {vcpus(natives[-1].vcpus)}"
    if not last.told_apart:
        return f"{where} no difference from native is told from noise ({interval(*natives[-1].ci95)} of it)"
    return f"{where} it reaches {percent(last.ratio)} of native ({interval(*natives[-1].ci95)})"


def native_line(native: Native) -> str:
    """Return what the guest reaches of native at one number, as a sentence."""
    what = f"{load_title(native.load)} at {vcpus(native.vcpus)}: {percent(native.ratio)} of native"
    if native.ci95 is None:
        return f"{what}; too few blocks for an interval ({native.blocks})."
    noise = "" if native.told_apart else ", within noise"
    return f"{what} ({interval(*native.ci95)}{noise}; {native.blocks} blocks)."


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
    best, beyond, name = enough(steps), _beyond(steps), load_title(steps[0].load)
    filled = next((size.filled for size in sizes if size.vcpus == best), Filled.UNKNOWN)
    if beyond is not None and not ends(steps):
        said = [f"{name}: repeat more often (repeats), or for longer, to know what {vcpus(beyond.more)} are worth."]
    else:
        try_more = beyond is None and filled is Filled.GUEST
        said = [f"{name}: give the guest {vcpus(best)}{', or try more' if try_more else ''}."]
    if filled in (Filled.IO, Filled.BOTH):
        said.append(f"{name}: what it lacks is CPU for the I/O domain, too: study the split at {vcpus(best)}.")
    if filled is Filled.CLIENT:
        said.append(f"{name}: give the load generator more CPUs, or other computers, and measure again.")
    worse = [step for step in steps if step.ci95_frac and step.ci95_frac[1] < 0]
    said += [f"{name}: {step.more} vCPUs cost {percent(-step.gain_frac)} against {step.fewer}." for step in worse]
    return said


def _beyond(steps: Sequence[Step]) -> Step | None:
    """Return the first step that does not surely gain; None where all do."""
    return next((step for step in steps if not step.gains), None)


def _gains(steps: Sequence[Step]) -> str:
    return ", ".join(f"{step.fewer} to {step.more}: {signed_percent(step.gain_frac)}" for step in steps)

"""What an overhead study found, in words."""

from collections.abc import Sequence

from scheduler.model.findings import Cause, Slowdown
from scheduler.model.words import interval, listing, load_title, percent, signed_percent

NOTHING = "No answer: no block has both the base and another side."


def headline(overall: Sequence[Slowdown]) -> str:
    """Return the answer as one sentence."""
    if not overall:
        return NOTHING
    loads = {each.load for each in overall}
    return f"{'; '.join(_costs(each, several=len(loads) > 1) for each in overall)}."


def _costs(each: Slowdown, *, several: bool) -> str:
    name = each.side[:1].upper() + each.side[1:]
    where = f"{name}, {load_title(each.load)}" if several else name
    if each.ci95_frac is None:
        return f"{where} takes {percent(each.slowdown_frac)} longer, from one block: no interval"
    if not each.told_apart:
        return f"{where} costs nothing that {each.blocks} blocks tell from noise ({interval(*each.ci95_frac)})"
    word = "longer" if each.slowdown_frac > 0 else "less time"
    frac = abs(each.slowdown_frac)
    low, high = sorted(abs(end) for end in each.ci95_frac)
    return f"{where} takes {percent(frac)} {word} than the base ({interval(low, high)})"


def of_items(side: str, items: Sequence[Slowdown]) -> str:
    """Return how the items of one side differ; empty for a single one."""
    if len(items) < 2:
        return ""
    apart = [each for each in items if each.told_apart]
    noise = len(items) - len(apart)
    ordered = sorted(apart, key=lambda each: -each.slowdown_frac)
    said = [f"{each.item} {signed_percent(each.slowdown_frac)}" for each in (*ordered[:3], *ordered[-1:])]
    most = f"furthest apart: {listing(dict.fromkeys(said))}" if apart else "none is told apart"
    return f"{side}, {load_title(items[0].load)}: of {len(items)}, {noise} are below the noise; {most}."


def of_parts(causes: Sequence[Cause], overall_frac: float) -> str:
    """Return what the time is made of that one side takes more; empty where no counter tells."""
    parts = [each for each in causes if each.part_frac is not None]
    if not parts:
        return ""
    rest = overall_frac - sum(each.part_frac or 0.0 for each in parts)
    said = [f"{each.counter} {signed_percent(each.part_frac or 0.0)}" for each in parts]
    name = f"{parts[0].side}, {load_title(parts[0].load)}"
    return (
        f"{name}: of the base's time all together, {listing(said)}, and {signed_percent(rest)} that no counter has "
        f"(disk, network, locks): {signed_percent(overall_frac)} in all."
    )


def of_correlations(causes: Sequence[Cause]) -> str:
    """Return which counters go with the slowdown from item to item; empty where that cannot be told."""
    known = [each for each in causes if each.correlation_ci is not None]
    if not known:
        return ""
    sure = [each for each in known if not _holds_0(each.correlation_ci)]
    name = f"{known[0].side}, {load_title(known[0].load)}"
    if not sure:
        return f"{name}: no counter surely goes with the slowdown from query to query."
    said = [f"{each.counter} ({each.correlation:.2f}, {_ends(each.correlation_ci)})" for each in sure]
    return f"{name}: the slowdown goes with {listing(said)}; what goes together need not be cause and effect."


def _holds_0(ends: tuple[float, float] | None) -> bool:
    return ends is None or ends[0] <= 0 <= ends[1]


def _ends(ends: tuple[float, float] | None) -> str:
    low, high = ends or (0.0, 0.0)
    return f"{low:.2f} to {high:.2f}"

"""Sentences about the finding of an overhead study.

A slowdown below the noise is named as such, and a correlation is never called a cause.
"""

from collections.abc import Sequence

from scheduler.model.number_texts import format_interval, format_percent
from scheduler.model.sentence_texts import join_names
from scheduler.studies.overhead.correlation import FEWEST_ITEMS, CounterCorrelation
from scheduler.studies.overhead.slowdown import LEAST_BLOCKS, ItemSlowdown, SideComparison
from scheduler.studies.overhead.slowdown_causes import SlowdownCauses, TimeComponent


def slowdown_verdict(found: ItemSlowdown) -> str:
    """Return `slower`, `faster`, `below noise` or `too few blocks` for one item."""
    if found.ci95_frac is None:
        return "too few blocks"
    if not found.slowdown.differs_from():
        return "below noise"
    return "slower" if found.slower_frac > 0 else "faster"


def summarise_sides(sides: Sequence[tuple[str, ItemSlowdown]]) -> str:
    """Return one sentence about several sides, by their names; empty for none."""
    said = "; ".join(_side_summary(name, found) for name, found in sides)
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _side_summary(name: str, found: ItemSlowdown) -> str:
    if found.ci95_frac is None:
        return f"{name} is {_slowdown_text(found.slower_frac)}, of too few blocks for an interval"
    span = format_interval(*found.ci95_frac)
    return (
        f"{name} is {_slowdown_text(found.slower_frac)} ({span})"
        if found.slowdown.differs_from()
        else f"{name} is within noise ({span})"
    )


def comparison_headline(comparison: SideComparison) -> tuple[str, ...]:
    """Return the sentences about all items together, and the number of slower items."""
    over, alone = comparison.geometric, len(comparison.items) == 1
    what = f"{comparison.other} against {comparison.base}"
    if over is None:
        whole = "the item" if alone else f"all {len(comparison.items)} items"
        return (f"{what}: no block has {whole} on both sides, so the total is unknown.",)
    mean = "" if alone else f"geometric mean over {len(comparison.items)} items, "
    many = f"{mean}{over.blocks} blocks"
    if over.ci95_frac is None or over.smallest_frac is None:
        fewer = f"fewer than {LEAST_BLOCKS} blocks do not show the noise"
        return (f"{what}: {_slowdown_text(over.slower_frac)}; {fewer} ({many}).",)
    if over.slowdown.differs_from():
        first = f"{what}: {_slowdown_text(over.slower_frac)} ({format_interval(*over.ci95_frac)}; {many})."
    else:
        first = (
            f"{what}: below the noise, {format_interval(*over.ci95_frac)} slower ({many}). Four of five "
            f"such measurements would detect a slowdown of {format_percent(over.smallest_frac)}."
        )
    return tuple(filter(None, (first, _verdict_counts(comparison))))


def explain_slowdown(causes: SlowdownCauses, comparison: SideComparison) -> tuple[str, ...]:
    """Return sentences on the added time and on the counters that correlate with it.

    Nothing is claimed of noise.

    Args:
        causes: The causes.
        comparison: The comparison of times.
    """
    sentences = (
        [_added_time_sentence(causes, comparison)]
        if causes.parts
        else ["Where the added time went is not known: no counters."]
    )
    known = {name: found for name, found in causes.correlations.items() if found is not None}
    if not known:
        return (
            *sentences,
            f"No counter is tried against the slowdown: none is known of {FEWEST_ITEMS} items that differ in it.",
        )
    if causes.alike_chance is None:
        return (*sentences, f"No counter is tried against the slowdown: fewer than {LEAST_BLOCKS} whole blocks.")
    if not causes.items_differ:
        return (
            *sentences,
            f"All items are slowed down equally, within noise ({_p_value_text(causes.alike_chance)}). No counter "
            "can explain differences.",
        )
    sentences += [_correlation_sentence(name, known[name]) for name in causes.claimed]
    against = [name for name, found in known.items() if found.claimed and found.r < 0]
    if against:
        others = join_names(f"{name} ({_correlation_figures(known[name])})" for name in against)
        sentences.append(f"The more of it, the less slowdown, which explains none: {others}.")
    silent = [
        f"{name} ({_correlation_figures(known[name])})" for name in known if name not in {*causes.claimed, *against}
    ]
    if silent:
        sentences.append(f"Not significant: {join_names(silent)}.")
    if causes.claimed:
        sentences.append(
            "These counters correlate with the slowdown; this does not show a cause. The intervals hold jointly for "
            f"{len(known)} counters."
        )
    return tuple(sentences)


def _added_time_sentence(causes: SlowdownCauses, comparison: SideComparison) -> str:
    total = comparison.total
    if total is None or total.ci95_frac is None:
        return "Where added time went is not asked: too few blocks have all items."
    sure = join_names(f"{part.name} {_component_text(part)}" for part in causes.parts if part.added.differs_from())
    unsure = join_names(part.name for part in causes.parts if not part.added.differs_from())
    what = f"All {len(comparison.items)} items together: " if len(comparison.items) > 1 else "In all: "
    if not total.slowdown.differs_from():  # the whole has the noise of all components
        more = f"beyond the noise all the same: {sure}" if sure else "no part of the time is beyond it"
        return f"{what}below the noise ({format_interval(*total.ci95_frac)}); {more}."
    rest = f"; below the noise: {unsure}" if unsure else ""
    return (
        f"{what}{_slowdown_text(total.slower_frac)} ({format_interval(*total.ci95_frac)}). "
        f"Of that: {sure or 'only noise'}{rest}."
    )


def _verdict_counts(comparison: SideComparison) -> str:
    """Return the number of items by verdict, and the names of missing items.

    A comparison of one item has no counts.
    """
    verdicts = [slowdown_verdict(item) for item in comparison.items]
    surely = len(comparison.surely)
    text = ", ".join(f"{verdicts.count(word)} {word}" for word in ("slower", "faster", "below noise"))
    lacking = f"{join_names(comparison.unpaired)} did not end on both sides." if comparison.unpaired else ""
    if len(verdicts) == 1:
        return lacking
    counted = f"Of {len(verdicts)} items: {text}; {surely} differ surely, all of them considered together."
    return f"{counted} {lacking}".rstrip()


def _correlation_sentence(name: str, found: CounterCorrelation) -> str:
    item, least = found.without
    return (
        f"{name[0].upper()}{name[1:]} goes with the slowdown: {_correlation_figures(found)}; without "
        f"{item}, r = {least:.2f}."
    )


def _correlation_figures(found: CounterCorrelation) -> str:
    low, high = found.interval
    return f"r = {found.r:.2f}, {low:.2f} to {high:.2f}, {found.items} items, {_p_value_text(found.chance)}"


def _p_value_text(chance: float | None) -> str:
    return "p unknown" if chance is None else f"p = {chance:.3f}" if chance >= 0.001 else "p < 0.001"


def _slowdown_text(frac: float) -> str:
    return f"{format_percent(abs(frac))} {'slower' if frac > 0 else 'faster'}"


def _component_text(part: TimeComponent) -> str:
    shown = format_percent(part.added_frac)
    return f"{shown} ({format_interval(*part.added_ci95_frac)})" if part.added_ci95_frac else shown

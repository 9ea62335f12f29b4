"""Sentences about the finding of an overhead study.

A slowdown below the noise is named as such, and a correlation is never called a cause.
"""

from collections.abc import Sequence

from scheduler.model.number_texts import format_interval, format_percent
from scheduler.model.sentence_texts import join_names
from scheduler.studies.overhead.correlation import FEWEST_ITEMS, CounterCorrelation
from scheduler.studies.overhead.slowdown import LEAST_BLOCKS, ItemSlowdown, SideComparison
from scheduler.studies.overhead.slowdown_causes import SlowdownCauses, TimeComponent
from scheduler.translation import _


def slowdown_verdict(found: ItemSlowdown) -> str:
    """Return `slower`, `faster`, `below noise` or `too few blocks` for one item."""
    if found.ci95_frac is None:
        return _("too few blocks")
    if not found.slowdown.differs_from():
        return _("below noise")
    return "slower" if found.slower_frac > 0 else "faster"


def summarise_sides(sides: Sequence[tuple[str, ItemSlowdown]]) -> str:
    """Return one sentence about several sides, by their names; empty for none."""
    said = "; ".join(_side_summary(name, found) for name, found in sides)
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _side_summary(name: str, found: ItemSlowdown) -> str:
    if found.ci95_frac is None:
        return _("{name} is {slowdown}, of too few blocks for an interval").format(
            name=name, slowdown=_slowdown_text(found.slower_frac)
        )
    span = format_interval(*found.ci95_frac)
    return (
        _("{name} is {slowdown} ({span})").format(name=name, slowdown=_slowdown_text(found.slower_frac), span=span)
        if found.slowdown.differs_from()
        else _("{name} is within noise ({span})").format(name=name, span=span)
    )


def comparison_headline(comparison: SideComparison) -> tuple[str, ...]:
    """Return the sentences about all items together, and the number of slower items."""
    over, alone = comparison.geometric, len(comparison.items) == 1
    what = _("{other} against {base}").format(other=comparison.other, base=comparison.base)
    if over is None:
        whole = _("the item") if alone else _("all {count} items").format(count=len(comparison.items))
        return (
            _("{what}: no block has {whole} on both sides, so the total is unknown.").format(what=what, whole=whole),
        )
    mean = "" if alone else _("geometric mean over {count} items, ").format(count=len(comparison.items))
    many = _("{mean}{blocks} blocks").format(mean=mean, blocks=over.blocks)
    if over.ci95_frac is None or over.smallest_frac is None:
        fewer = _("fewer than {least_blocks} blocks do not show the noise").format(least_blocks=LEAST_BLOCKS)
        return (f"{what}: {_slowdown_text(over.slower_frac)}; {fewer} ({many}).",)
    if over.slowdown.differs_from():
        first = f"{what}: {_slowdown_text(over.slower_frac)} ({format_interval(*over.ci95_frac)}; {many})."
    else:
        first = _(
            "{what}: below the noise, {ci95_frac} slower ({many}). Four of five such "
            "measurements would detect a slowdown of {smallest_frac}."
        ).format(
            what=what,
            ci95_frac=format_interval(*over.ci95_frac),
            many=many,
            smallest_frac=format_percent(over.smallest_frac),
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
        else [_("Where the added time went is not known: no counters.")]
    )
    known = {name: found for name, found in causes.correlations.items() if found is not None}
    if not known:
        return (
            *sentences,
            _(
                "No counter is tried against the slowdown: none is known of {fewest_items} items that differ in it."
            ).format(fewest_items=FEWEST_ITEMS),
        )
    if causes.alike_chance is None:
        return (
            *sentences,
            _("No counter is tried against the slowdown: fewer than {least_blocks} whole blocks.").format(
                least_blocks=LEAST_BLOCKS
            ),
        )
    if not causes.items_differ:
        return (
            *sentences,
            _(
                "All items are slowed down equally, within noise ({p_value}). No counter can explain differences."
            ).format(p_value=_p_value_text(causes.alike_chance)),
        )
    sentences += [_correlation_sentence(name, known[name]) for name in causes.claimed]
    against = [name for name, found in known.items() if found.claimed and found.r < 0]
    if against:
        others = join_names(f"{name} ({_correlation_figures(known[name])})" for name in against)
        sentences.append(_("The more of it, the less slowdown, which explains none: {others}.").format(others=others))
    silent = [
        f"{name} ({_correlation_figures(known[name])})" for name in known if name not in {*causes.claimed, *against}
    ]
    if silent:
        sentences.append(_("Not significant: {silent}.").format(silent=join_names(silent)))
    if causes.claimed:
        sentences.append(
            _(
                "These counters correlate with the slowdown; this does not show a cause. The "
                "intervals hold jointly for {count} counters."
            ).format(count=len(known))
        )
    return tuple(sentences)


def _added_time_sentence(causes: SlowdownCauses, comparison: SideComparison) -> str:
    total = comparison.total
    if total is None or total.ci95_frac is None:
        return _("Where added time went is not asked: too few blocks have all items.")
    sure = join_names(f"{part.name} {_component_text(part)}" for part in causes.parts if part.added.differs_from())
    unsure = join_names(part.name for part in causes.parts if not part.added.differs_from())
    what = (
        _("All {count} items together: ").format(count=len(comparison.items))
        if len(comparison.items) > 1
        else _("In all: ")
    )
    if not total.slowdown.differs_from():  # the whole has the noise of all components
        more = (
            _("beyond the noise all the same: {sure}").format(sure=sure)
            if sure
            else _("no part of the time is beyond it")
        )
        return _("{what}below the noise ({ci95_frac}); {more}.").format(
            what=what, ci95_frac=format_interval(*total.ci95_frac), more=more
        )
    rest = _("; below the noise: {unsure}").format(unsure=unsure) if unsure else ""
    return _("{what}{slowdown} ({ci95_frac}). Of that: {sure}{rest}.").format(
        what=what,
        slowdown=_slowdown_text(total.slower_frac),
        ci95_frac=format_interval(*total.ci95_frac),
        sure=sure or _("only noise"),
        rest=rest,
    )


def _verdict_counts(comparison: SideComparison) -> str:
    """Return the number of items by verdict, and the names of missing items.

    A comparison of one item has no counts.
    """
    verdicts = [slowdown_verdict(item) for item in comparison.items]
    surely = len(comparison.surely)
    text = ", ".join(f"{verdicts.count(word)} {word}" for word in ("slower", "faster", _("below noise")))
    lacking = (
        _("{unpaired} did not end on both sides.").format(unpaired=join_names(comparison.unpaired))
        if comparison.unpaired
        else ""
    )
    if len(verdicts) == 1:
        return lacking
    counted = _("Of {count} items: {text}; {surely} differ surely, all of them considered together.").format(
        count=len(verdicts), text=text, surely=surely
    )
    return f"{counted} {lacking}".rstrip()


def _correlation_sentence(name: str, found: CounterCorrelation) -> str:
    item, least = found.without
    return _("{name} goes with the slowdown: {correlation_figures}; without {item}, r = {least:.2f}.").format(
        name=name[:1].upper() + name[1:], correlation_figures=_correlation_figures(found), item=item, least=least
    )


def _correlation_figures(found: CounterCorrelation) -> str:
    low, high = found.interval
    return _("r = {r:.2f}, {low:.2f} to {high:.2f}, {found} items, {p_value}").format(
        r=found.r, low=low, high=high, found=found.items, p_value=_p_value_text(found.chance)
    )


def _p_value_text(chance: float | None) -> str:
    return _("p unknown") if chance is None else f"p = {chance:.3f}" if chance >= 0.001 else "p < 0.001"


def _slowdown_text(frac: float) -> str:
    return f"{format_percent(abs(frac))} {'slower' if frac > 0 else 'faster'}"


def _component_text(part: TimeComponent) -> str:
    shown = format_percent(part.added_frac)
    return f"{shown} ({format_interval(*part.added_ci95_frac)})" if part.added_ci95_frac else shown

"""Sentences about the finding of an isolation study.

An effect within the noise is never called a loss, or a protection.
"""

import math
from collections.abc import Iterator, Sequence

from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.number_texts import format_interval, format_percent, format_short, is_interval_known
from scheduler.model.sentence_texts import domain_title, format_load_rate, join_names, load_title
from scheduler.model.split import GUEST
from scheduler.studies.isolation.declaration import GuestLoss, ShareProtection
from scheduler.studies.isolation.isolation_costs import LIMIT_FRAC
from scheduler.translation import _

NO_COST_TEXT = _("No answer: no block has a guest both alone and with the other guest busy.")

_BUSY = 0.9  # of the CPUs left to the users (as in stats/bottleneck.py)
_LIMIT = format_percent(LIMIT_FRAC)
_TOO_NEAR = 0.25  # distance from the limit in half intervals: below it more than 16 times the blocks are needed
_MODE_TEXTS = {"caps": _("the cap"), "weights": _("the weight")}


def isolation_headline(costs: Sequence[GuestLoss]) -> str:
    """Return the answer as one sentence, a clause for each mode."""
    if not costs:
        return NO_COST_TEXT
    modes = dict.fromkeys(cost.mode for cost in costs)
    said = "; ".join(_mode_verdict(mode, [cost for cost in costs if cost.mode == mode]) for mode in modes)
    return f"{said[:1].upper()}{said[1:]}."


def cost_sentences(cost: GuestLoss) -> Iterator[str]:
    """Yield the loss of one guest and its reason, as sentences."""
    where = f"{cost.split} {cost.mode}, {domain_title(cost.guest)} ({load_title(cost.load)})"
    made = _("{alone_tps} alone, {both_tps} together").format(
        alone_tps=format_load_rate(cost.alone_tps, cost.load, cost.unit),
        both_tps=format_load_rate(cost.both_tps, cost.load, cost.unit),
    )
    if cost.ci95_frac is None or cost.beyond_ci95_frac is None:
        yield _("{where}: {made}, {change}; too few blocks for an interval ({blocks}).").format(
            where=where, made=made, change=_change_text(cost.cost_frac), blocks=cost.blocks
        )
    else:
        noise = "" if cost.loss.differs_from() else _(", within noise")
        text = _("{where}: {made}, {change} ({ci95_frac}{noise}; {blocks} blocks)").format(
            where=where,
            made=made,
            change=_change_text(cost.cost_frac),
            ci95_frac=format_interval(*cost.ci95_frac),
            noise=noise,
            blocks=cost.blocks,
        )
        by_share = (
            _("; its share alone explains {share_frac}").format(share_frac=format_percent(cost.share_frac))
            if cost.share_frac > 0
            else ""
        )
        rest = _("; interference {beyond_frac} ({beyond_ci95_frac})").format(
            beyond_frac=format_percent(cost.beyond_frac), beyond_ci95_frac=format_interval(*cost.beyond_ci95_frac)
        )
        if cost.beyond_ci95_frac[1] < 0:
            rest = _(", so there is no interference") if by_share else _("; there is no interference")
        yield f"{text}{by_share}{rest}."
    if cost.alone_cpus is not None and cost.both_cpus is not None:
        worth = _("its share is {allotted_cpus}").format(allotted_cpus=format_short(cost.allotted_cpus))
        yield (
            _("{where}: used {alone_cpus} CPUs alone, {both_cpus} together; {worth}.").format(
                where=where,
                alone_cpus=format_short(cost.alone_cpus),
                both_cpus=format_short(cost.both_cpus),
                worth=worth,
            )
        )


def isolation_advice(costs: Sequence[GuestLoss]) -> Iterator[str]:
    """Yield advice; nothing where there are too few blocks."""
    by_mode = {mode: [cost for cost in costs if cost.mode == mode] for mode in ("caps", "weights")}
    capped, weighted = by_mode["caps"], by_mode["weights"]
    broken = [cost for cost in capped if cost.protection is ShareProtection.BROKEN]
    full = sorted({cost.split for cost in broken if cost.io_full})
    if full:
        yield (
            _(
                "At {full} both guests wait for the I/O domain, whose CPU no cap divides between "
                "them. Give the I/O domain more CPU, or each guest an I/O domain of its own."
            ).format(full=join_names(full))
        )
    if any(not cost.io_full for cost in broken):
        yield _("A cap divides the CPU only. Check the shared parts: disk, sync queue, memory and caches.")
    kept = sorted(
        {cost.split for cost in capped} - {c.split for c in capped if c.protection is not ShareProtection.KEPT}
    )
    loses = [cost for cost in weighted if cost.split in kept and cost.loss.differs_from() and cost.cost_frac > 0]
    if kept and loses:
        most = max(loses, key=lambda cost: cost.cost_frac)
        yield (
            _(
                "If a guest must be equally fast next to busy and idle guests, cap that guest "
                "({kept}); by weight {domain} lost {cost_frac} at {most}."
            ).format(
                kept=join_names(kept),
                domain=domain_title(most.guest),
                cost_frac=format_percent(most.cost_frac),
                most=most.split,
            )
        )
    wanted = [blocks for cost in costs if (blocks := _blocks_needed(cost))]
    if wanted:
        yield _("About {wanted} blocks with the same noise would show interference of {limit}.").format(
            wanted=max(wanted), limit=_LIMIT
        )
    borrowed = [line for cost in weighted if (line := _weight_gain_sentence(cost, capped))]
    yield from borrowed[:1]


def validity_sentences(costs: Sequence[GuestLoss], facts: HostProperties | None) -> Iterator[str]:
    """Yield the limits of validity.

    Args:
        costs: The losses.
        facts: Host properties at the start; None where they are not known.
    """
    if not costs:
        return
    yield (
        _(
            "Intervals are Student's t over blocks, in each of which every guest was loaded alone and both "
            "together; one "
            "that holds 0 is below the noise of so many blocks. Each is of one guest: of many, one in twenty misses."
        )
    )
    yield (
        _(
            "Alone means that the database of the other guest runs without load. Caps and weights divide the CPU only; "
            "disk, memory, caches and the I/O domain are shared."
        )
    )
    if any(LOAD_KINDS[cost.load].changes_rows for cost in costs if cost.load in LOAD_KINDS):
        yield _("The loads write, so both databases wait for the same disk. That cost counts as interference.")
    if any(cost.clients_frac >= _BUSY for cost in costs):
        most = max(cost.clients_frac for cost in costs)
        yield _("The load generator was {most} busy while both were loaded: part of the cost is its own.").format(
            most=format_percent(most)
        )
    elif facts is not None and len(facts.client_cpus) == 1:
        yield _(
            "The users of both guests ran on CPU {client_cpus}; the figures include the interference there."
        ).format(client_cpus=facts.client_cpus[0])


def _mode_verdict(mode: str, costs: Sequence[GuestLoss]) -> str:
    name = _MODE_TEXTS[mode]
    if any(cost.ci95_frac is None for cost in costs):
        return _("too few blocks to judge the isolation under {name}").format(name=name)
    worst = max(costs, key=lambda cost: cost.beyond_ci95_frac[1] if cost.beyond_ci95_frac else cost.beyond_frac)
    total = max(costs, key=lambda cost: cost.cost_frac)
    lent = total.share_frac > 0 and total.cost_frac > 0
    if all(cost.protection is ShareProtection.KEPT for cost in costs):
        much = _("up to {cost_frac} in all, and ").format(cost_frac=format_percent(total.cost_frac)) if lent else ""
        return _("under {name} a busy second guest costs {much}at most {limit} more than the share explains").format(
            name=name, much=much, limit=_LIMIT
        )
    whole = _("; in all up to {cost_frac}").format(cost_frac=format_percent(total.cost_frac)) if lent else ""
    where = _("{domain} at {worst}").format(domain=domain_title(worst.guest), worst=worst.split)
    span = f" ({format_interval(*worst.beyond_ci95_frac)})" if worst.beyond_ci95_frac else ""
    if worst.protection is ShareProtection.BROKEN:
        return _("under {name} the other guest's load costs {where} {beyond_frac}{span} by interference{whole}").format(
            name=name, where=where, beyond_frac=format_percent(worst.beyond_frac), span=span, whole=whole
        )
    if worst.beyond_ci95_frac and not is_interval_known(*worst.beyond_ci95_frac):
        unknown = _("the trials of {where} differ too much in {blocks} blocks").format(where=where, blocks=worst.blocks)
        return _("no answer on interference of up to {limit} under {name}: {unknown}").format(
            limit=_LIMIT, name=name, unknown=unknown
        )
    seen = _("in {blocks} blocks {where} loses{span} to interference{whole}").format(
        blocks=worst.blocks, where=where, span=span.replace("(", "").replace(")", ""), whole=whole
    )
    return _("no answer on interference of up to {limit} under {name}: {seen}").format(
        limit=_LIMIT, name=name, seen=seen
    )


def _blocks_needed(cost: GuestLoss) -> int:
    """Return the number of blocks at which the interval would exclude the limit.

    0 where the interval excludes the limit already, or would need too many blocks. Half the width of a mean's interval
    falls with 1 / sqrt(blocks); its middle is assumed to stay. The interval is that of ln(together / alone).
    """
    ends = cost.beyond_ci95_frac
    if cost.protection is not ShareProtection.UNKNOWN or ends is None or max(*ends, cost.beyond_frac) >= 1.0:
        return 0
    low, high, middle, limit = (math.log1p(-frac) for frac in (*ends, cost.beyond_frac, LIMIT_FRAC))
    half, room = (low - high) / 2, abs(limit - middle)
    return math.ceil(cost.blocks * (half / room) ** 2) if room > _TOO_NEAR * half else 0


def _change_text(frac: float) -> str:
    return (
        _("{frac} less").format(frac=format_percent(frac))
        if frac >= 0
        else _("{frac} more").format(frac=format_percent(-frac))
    )


def _weight_gain_sentence(cost: GuestLoss, capped: Sequence[GuestLoss]) -> str:
    """Return a sentence on the gain from a weight while the other guest is idle.

    Empty where there is no gain.
    """
    same = next((each for each in capped if (each.split, each.guest) == (cost.split, cost.guest)), None)
    if same is None or not same.alone_tps or cost.alone_cpus is None or cost.share_frac <= 0:
        return ""
    times = cost.alone_tps / same.alone_tps
    if times <= 1.0:
        return ""
    name = domain_title(cost.guest) if cost.guest != GUEST else _("the guest")
    return _(
        "The price of the cap: while the other guest is idle, {name} makes {times} times as much by weight ({cost})."
    ).format(name=name, times=format_short(times), cost=cost.split)

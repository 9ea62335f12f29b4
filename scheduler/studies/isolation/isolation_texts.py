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

NO_COST_TEXT = "No answer: no block has a guest both alone and with the other guest busy."

_BUSY = 0.9  # of the CPUs left to the users (as in stats/bottleneck.py)
_LIMIT = format_percent(LIMIT_FRAC)
_TOO_NEAR = 0.25  # distance from the limit in half intervals: below it more than 16 times the blocks are needed
_MODE_TEXTS = {"caps": "the cap", "weights": "the weight"}


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
    made = (
        f"{format_load_rate(cost.alone_tps, cost.load, cost.unit)} alone, "
        f"{format_load_rate(cost.both_tps, cost.load, cost.unit)} together"
    )
    if cost.ci95_frac is None or cost.beyond_ci95_frac is None:
        yield f"{where}: {made}, {_change_text(cost.cost_frac)}; too few blocks for an interval ({cost.blocks})."
    else:
        noise = "" if cost.loss.differs_from() else ", within noise"
        text = (
            f"{where}: {made}, {_change_text(cost.cost_frac)} "
            f"({format_interval(*cost.ci95_frac)}{noise}; {cost.blocks} blocks)"
        )
        by_share = f"; its share alone explains {format_percent(cost.share_frac)}" if cost.share_frac > 0 else ""
        rest = f"; interference {format_percent(cost.beyond_frac)} ({format_interval(*cost.beyond_ci95_frac)})"
        if cost.beyond_ci95_frac[1] < 0:
            rest = ", so there is no interference" if by_share else "; there is no interference"
        yield f"{text}{by_share}{rest}."
    if cost.alone_cpus is not None and cost.both_cpus is not None:
        worth = f"its share is {format_short(cost.allotted_cpus)}"
        yield (
            f"{where}: used {format_short(cost.alone_cpus)} CPUs alone, "
            f"{format_short(cost.both_cpus)} together; {worth}."
        )


def isolation_advice(costs: Sequence[GuestLoss]) -> Iterator[str]:
    """Yield advice; nothing where there are too few blocks."""
    by_mode = {mode: [cost for cost in costs if cost.mode == mode] for mode in ("caps", "weights")}
    capped, weighted = by_mode["caps"], by_mode["weights"]
    broken = [cost for cost in capped if cost.protection is ShareProtection.BROKEN]
    full = sorted({cost.split for cost in broken if cost.io_full})
    if full:
        yield (
            f"At {join_names(full)} both guests wait for the I/O domain, whose CPU no cap divides between "
            "them. Give the I/O domain more CPU, or each guest an I/O domain of its own."
        )
    if any(not cost.io_full for cost in broken):
        yield "A cap divides the CPU only. Check the shared parts: disk, sync queue, memory and caches."
    kept = sorted(
        {cost.split for cost in capped} - {c.split for c in capped if c.protection is not ShareProtection.KEPT}
    )
    loses = [cost for cost in weighted if cost.split in kept and cost.loss.differs_from() and cost.cost_frac > 0]
    if kept and loses:
        most = max(loses, key=lambda cost: cost.cost_frac)
        yield (
            "If a guest must be equally fast next to busy and idle guests, cap that guest "
            f"({join_names(kept)}); "
            f"by weight {domain_title(most.guest)} lost {format_percent(most.cost_frac)} at {most.split}."
        )
    wanted = [blocks for cost in costs if (blocks := _blocks_needed(cost))]
    if wanted:
        yield f"About {max(wanted)} blocks with the same noise would show interference of {_LIMIT}."
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
        "Intervals are Student's t over blocks, in each of which every guest was loaded alone and both together; one "
        "that holds 0 is below the noise of so many blocks. Each is of one guest: of many, one in twenty misses."
    )
    yield (
        "Alone means that the database of the other guest runs without load. Caps and weights divide the CPU only; "
        "disk, memory, caches and the I/O domain are shared."
    )
    if any(LOAD_KINDS[cost.load].changes_rows for cost in costs if cost.load in LOAD_KINDS):
        yield "The loads write, so both databases wait for the same disk. That cost counts as interference."
    if any(cost.clients_frac >= _BUSY for cost in costs):
        most = max(cost.clients_frac for cost in costs)
        yield f"The load generator was {format_percent(most)} busy while both were loaded: part of the cost is its own."
    elif facts is not None and len(facts.client_cpus) == 1:
        yield f"The users of both guests ran on CPU {facts.client_cpus[0]}; the figures include the interference there."


def _mode_verdict(mode: str, costs: Sequence[GuestLoss]) -> str:
    name = _MODE_TEXTS[mode]
    if any(cost.ci95_frac is None for cost in costs):
        return f"too few blocks to judge the isolation under {name}"
    worst = max(costs, key=lambda cost: cost.beyond_ci95_frac[1] if cost.beyond_ci95_frac else cost.beyond_frac)
    total = max(costs, key=lambda cost: cost.cost_frac)
    lent = total.share_frac > 0 and total.cost_frac > 0
    if all(cost.protection is ShareProtection.KEPT for cost in costs):
        much = f"up to {format_percent(total.cost_frac)} in all, and " if lent else ""
        return f"under {name} a busy second guest costs {much}at most {_LIMIT} more than the share explains"
    whole = f"; in all up to {format_percent(total.cost_frac)}" if lent else ""
    where = f"{domain_title(worst.guest)} at {worst.split}"
    span = f" ({format_interval(*worst.beyond_ci95_frac)})" if worst.beyond_ci95_frac else ""
    if worst.protection is ShareProtection.BROKEN:
        return (
            f"under {name} the other guest's load costs {where} {format_percent(worst.beyond_frac)}{span} "
            f"by interference{whole}"
        )
    if worst.beyond_ci95_frac and not is_interval_known(*worst.beyond_ci95_frac):
        unknown = f"the trials of {where} differ too much in {worst.blocks} blocks"
        return f"no answer on interference of up to {_LIMIT} under {name}: {unknown}"
    seen = f"in {worst.blocks} blocks {where} loses{span.replace('(', '').replace(')', '')} to interference{whole}"
    return f"no answer on interference of up to {_LIMIT} under {name}: {seen}"


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
    return f"{format_percent(frac)} less" if frac >= 0 else f"{format_percent(-frac)} more"


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
    name = domain_title(cost.guest) if cost.guest != GUEST else "the guest"
    return (
        f"The price of the cap: while the other guest is idle, {name} makes {format_short(times)} times as much by "
        f"weight ({cost.split})."
    )

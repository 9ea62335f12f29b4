"""What an isolation study found, in words: nothing that noise could have made is called a cost, or a protection."""

import math
from collections.abc import Iterator, Sequence

from scheduler.model.facts import HostFacts
from scheduler.model.load_kinds import KINDS
from scheduler.model.neighbours import NeighbourCost, Protection
from scheduler.model.number_texts import interval, percent, short
from scheduler.model.split import GUEST
from scheduler.model.words import domain_title, listing, load_title, rate
from scheduler.studies.isolation.costs import LIMIT_FRAC

NOTHING = "No answer: no block has a guest both alone and with its neighbour."

_BUSY = 0.9  # of the CPUs left to the users (as in stats/bottleneck.py)
_LIMIT = percent(LIMIT_FRAC)
_TOO_NEAR = 0.25  # of half an interval, from the limit: sixteen times as many blocks would be needed
_MODES = {"partition": "the cap (partition)", "share": "the weight (share)"}


def headline(costs: Sequence[NeighbourCost]) -> str:
    """Return the answer as one sentence: what the cap keeps, and what the weight does."""
    if not costs:
        return NOTHING
    modes = dict.fromkeys(cost.mode for cost in costs)
    said = "; ".join(_verdict(mode, [cost for cost in costs if cost.mode == mode]) for mode in modes)
    return f"{said[:1].upper()}{said[1:]}."


def lines(cost: NeighbourCost) -> Iterator[str]:
    """Yield what one guest loses, and why, as sentences."""
    where = f"{cost.split} {cost.mode}, {domain_title(cost.guest)} ({load_title(cost.load)})"
    made = f"{rate(cost.alone_tps, cost.load, cost.unit)} alone, {rate(cost.both_tps, cost.load, cost.unit)} together"
    if cost.ci95_frac is None or cost.beyond_ci95_frac is None:
        yield f"{where}: {made}, {_loses(cost.cost_frac)}; too few blocks for an interval ({cost.blocks})."
    else:
        noise = "" if cost.told_apart else ", within noise"
        text = f"{where}: {made}, {_loses(cost.cost_frac)} ({interval(*cost.ci95_frac)}{noise}; {cost.blocks} blocks)"
        by_share = f"; its share alone explains {percent(cost.share_frac)}" if cost.share_frac > 0 else ""
        rest = f"; beyond its share {percent(cost.beyond_frac)} ({interval(*cost.beyond_ci95_frac)})"
        yield f"{text}{by_share}{rest}."
    if cost.alone_cpus is not None and cost.both_cpus is not None:
        worth = f"its share is {short(cost.configured_cpus)}"
        yield f"{where}: received {short(cost.alone_cpus)} CPUs alone, {short(cost.both_cpus)} together; {worth}."


def advice(costs: Sequence[NeighbourCost]) -> Iterator[str]:
    """Yield what to do; nothing where too few blocks tell."""
    by_mode = {mode: [cost for cost in costs if cost.mode == mode] for mode in ("partition", "share")}
    capped, weighted = by_mode["partition"], by_mode["share"]
    broken = [cost for cost in capped if cost.protection is Protection.BROKEN]
    full = sorted({cost.split for cost in broken if cost.io_full})
    if full:
        yield (
            f"At {listing(full)} both guests wait for the I/O domain, whose CPU no cap divides between them: give it "
            "more, or each guest its own."
        )
    if any(not cost.io_full for cost in broken):
        yield "What a cap on CPU does not divide is shared: look at the disk and its sync queue, memory and caches."
    kept = sorted({cost.split for cost in capped} - {c.split for c in capped if c.protection is not Protection.KEPT})
    loses = [cost for cost in weighted if cost.split in kept and cost.told_apart and cost.cost_frac > 0]
    if kept and loses:
        most = max(loses, key=lambda cost: cost.cost_frac)
        yield (
            f"Where a guest must be as fast beside a busy neighbour as beside an idle one, cap it ({listing(kept)}); "
            f"by weight {domain_title(most.guest)} lost {percent(most.cost_frac)} at {most.split}."
        )
    wanted = [blocks for cost in costs if (blocks := _blocks_wanted(cost))]
    if wanted:
        yield f"About {max(wanted)} blocks as noisy as these would tell whether a busy neighbour costs {_LIMIT}."
    borrowed = [line for cost in weighted if (line := _borrowed(cost, capped))]
    yield from borrowed[:1]


def limits(costs: Sequence[NeighbourCost], facts: HostFacts | None) -> Iterator[str]:
    """Yield how far it holds."""
    if not costs:
        return
    yield (
        "Intervals are Student's t over blocks, in each of which every guest was loaded alone and both together; one "
        "that holds 0 is below the noise of so many blocks. Each is of one guest: of many, one in twenty misses."
    )
    yield (
        "Alone means that the other guest's database runs and nobody asks it anything. CPU is what cap and weight "
        "divide; disk, memory, caches and the I/O domain are shared."
    )
    if any(KINDS[cost.load].changes_rows for cost in costs if cost.load in KINDS):
        yield "The loads write: both databases wait for the same disk, and what that costs is beyond the share."
    if any(cost.clients_frac >= _BUSY for cost in costs):
        most = max(cost.clients_frac for cost in costs)
        yield f"The load generator was {percent(most)} busy while both were loaded: part of the cost is its own."
    elif facts is not None and len(facts.client_cpus) == 1:
        yield f"The users of both guests ran on CPU {facts.client_cpus[0]}; what they cost each other there is in it."


def _verdict(mode: str, costs: Sequence[NeighbourCost]) -> str:
    name = _MODES[mode]
    if any(cost.ci95_frac is None for cost in costs):
        return f"too few blocks to tell what {name} keeps"
    worst = max(costs, key=lambda cost: cost.beyond_ci95_frac[1] if cost.beyond_ci95_frac else cost.beyond_frac)
    total = max(costs, key=lambda cost: cost.cost_frac)
    lent = total.share_frac > 0 and total.cost_frac > 0
    if all(cost.protection is Protection.KEPT for cost in costs):
        much = f"up to {percent(total.cost_frac)} in all, and " if lent else ""
        return f"under {name} a busy neighbour costs {much}at most {_LIMIT} more than the share explains"
    whole = f"; in all up to {percent(total.cost_frac)}" if lent else ""
    where = f"{domain_title(worst.guest)} at {worst.split}"
    span = f" ({interval(*worst.beyond_ci95_frac)})" if worst.beyond_ci95_frac else ""
    if worst.protection is Protection.BROKEN:
        return f"under {name} a busy neighbour costs {where} {percent(worst.beyond_frac)}{span} beyond its share{whole}"
    seen = f"in {worst.blocks} blocks {where} loses{span.replace('(', '').replace(')', '')} beyond its share{whole}"
    return f"whether {name} keeps a busy neighbour within {_LIMIT} is not told: {seen}"


def _blocks_wanted(cost: NeighbourCost) -> int:
    """Return with how many blocks the interval would be clear of the limit; 0 where it is, or would never be.

    Half the width of a mean's interval goes with 1 / sqrt(blocks); its middle is taken to stay where it is.
    """
    if cost.protection is not Protection.UNKNOWN or cost.beyond_ci95_frac is None:
        return 0
    half, room = (cost.beyond_ci95_frac[1] - cost.beyond_ci95_frac[0]) / 2, abs(LIMIT_FRAC - cost.beyond_frac)
    return math.ceil(cost.blocks * (half / room) ** 2) if room > _TOO_NEAR * half else 0


def _loses(frac: float) -> str:
    return f"{percent(frac)} less" if frac >= 0 else f"{percent(-frac)} more"


def _borrowed(cost: NeighbourCost, capped: Sequence[NeighbourCost]) -> str:
    """Return what a guest has from a weight while its neighbour is idle; empty where that is nothing."""
    same = next((each for each in capped if (each.split, each.guest) == (cost.split, cost.guest)), None)
    if same is None or not same.alone_tps or cost.alone_cpus is None or cost.share_frac <= 0:
        return ""
    times = cost.alone_tps / same.alone_tps
    if times <= 1.0:
        return ""
    name = domain_title(cost.guest) if cost.guest != GUEST else "the guest"
    return (
        f"The price of the cap: while its neighbour is idle, {name} makes {short(times)} times as much by weight "
        f"({cost.split})."
    )

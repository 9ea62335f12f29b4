"""Whether the weights of a share sweep decided anything.

A weight counts only while both domains want the CPU at the same moment. Where it is partly idle, or where the two take
turns because one waits for what the other does, every split delivers the same; what differs between them is noise.
"""

from collections.abc import Iterator, Mapping, Sequence

from scheduler.model.number_texts import format_interval, format_percent
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import load_title
from scheduler.model.spec import Mode
from scheduler.model.split import IO
from scheduler.stats.points import exact_mean

# Chosen, not measured: what was delivered must move by a quarter of what was asked for, or the weights decided little.
_FOLLOWS = 0.25
_ASKED_FRAC = 0.2  # splits that lie closer together than this ask for too little to tell
_IDLE_FRAC = 0.07  # as in `bottleneck`: above it somebody could still have run


def weights_without_effect(points: Sequence[MeasuredPoint], mode: Mode, cpus: int) -> Iterator[str]:
    """Yield a sentence for each load under which weights decided little; none for caps.

    Arguments as those of `loads_without_effect`.
    """
    yield from loads_without_effect(points, mode, cpus).values()


def loads_without_effect(points: Sequence[MeasuredPoint], mode: Mode, cpus: int) -> Mapping[str, str]:
    """Return each load under which weights decided little, to a sentence on that; none for caps.

    Args:
        points: Of a sweep.
        mode: Caps or weights.
        cpus: Number of CPUs that the domains share.
    """
    found: dict[str, str] = {}
    if mode is not Mode.WEIGHTS:
        return found
    for load in sorted({point.load for point in points}):
        swept = [point for point in points if point.load == load and point.configured_share and _cpu_used(point) > 0]
        asked = [_io_share(point.configured_share) for point in swept]
        got = [_io_share(point.delivered_share) for point in swept]
        if len(swept) > 1 and _value_range(asked) >= _ASKED_FRAC and _value_range(got) < _FOLLOWS * _value_range(asked):
            idle_frac = max(0.0, 1 - exact_mean([_cpu_used(point) for point in swept]) / cpus)
            found[load] = (
                f"Weights decided little under {load_title(load)}: of the CPU time that was used the I/O domain got "
                f"{format_interval(min(got), max(got))}, though its weight was worth "
                f"{format_interval(min(asked), max(asked))}; "
                f"{_explain_idle(idle_frac)}. Use the mode 'caps', or more users."
            )
    return found


def _explain_idle(idle_frac: float) -> str:
    if idle_frac > _IDLE_FRAC:
        return f"the CPU that both share was {format_percent(idle_frac)} idle"
    return "the CPU that both share was full, but one waited while the other worked"


def _cpu_used(point: MeasuredPoint) -> float:
    return sum(point.delivered_share.values())


def _io_share(shares: Mapping[str, float]) -> float:
    """Return the I/O domain's part of what both have."""
    return shares.get(IO, 0.0) / sum(shares.values())


def _value_range(values: Sequence[float]) -> float:
    return max(values) - min(values)

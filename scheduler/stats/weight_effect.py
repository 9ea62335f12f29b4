"""Effect of weights: detect loads under which weights decided little.

A weight counts only while both domains want the CPU at the same moment. A CPU may be partly idle, or the domains may
take turns because one waits for the other. Every split then gives the same throughput, and the differences are noise.
"""

from collections.abc import Iterator, Mapping, Sequence

from scheduler.model.number_texts import format_interval, format_percent
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import load_title
from scheduler.model.spec import Mode
from scheduler.model.split import IO
from scheduler.stats.points import exact_mean
from scheduler.translation import _

# Chosen, not measured: the CPU used must vary by a quarter of the variation of the weights, or they decided little.
_FOLLOWS = 0.25
_ASKED_FRAC = 0.2  # least range of the weights' shares that can show an effect
_IDLE_FRAC = 0.07  # as in `bottleneck`: above it the CPU was partly idle


def weights_without_effect(points: Sequence[MeasuredPoint], mode: Mode, cpus: int) -> Iterator[str]:
    """Yield a sentence for each load under which weights decided little.

    Args:
        points: Points of a sweep.
        mode: Caps or weights; nothing is yielded for caps.
        cpus: Number of CPUs that the domains share, >= 1.
    """
    yield from loads_without_effect(points, mode, cpus).values()


def loads_without_effect(points: Sequence[MeasuredPoint], mode: Mode, cpus: int) -> Mapping[str, str]:
    """Return each load under which weights decided little, to a sentence about it.

    Args:
        points: Points of a sweep.
        mode: Caps or weights; empty for caps.
        cpus: Number of CPUs that the domains share, >= 1.
    """
    found: dict[str, str] = {}
    if mode is not Mode.WEIGHTS:
        return found
    for load in sorted({point.load for point in points}):
        swept = [point for point in points if point.load == load and point.allotted_share and _cpu_used(point) > 0]
        asked = [_io_share(point.allotted_share) for point in swept]
        got = [_io_share(point.used_share) for point in swept]
        if len(swept) > 1 and _value_range(asked) >= _ASKED_FRAC and _value_range(got) < _FOLLOWS * _value_range(asked):
            idle_frac = max(0.0, 1 - exact_mean([_cpu_used(point) for point in swept]) / cpus)
            found[load] = _(
                "Weights had little effect under {load}: of the CPU time used, the I/O domain used "
                "{got}, though its weight was worth {asked}; {explain_idle}. Use the mode 'caps', or "
                "more users."
            ).format(
                load=load_title(load),
                got=format_interval(min(got), max(got)),
                asked=format_interval(min(asked), max(asked)),
                explain_idle=_explain_idle(idle_frac),
            )
    return found


def _explain_idle(idle_frac: float) -> str:
    if idle_frac > _IDLE_FRAC:
        return _("the shared CPU was {idle_frac} idle").format(idle_frac=format_percent(idle_frac))
    return _("the shared CPU was saturated, but one domain waited while the other worked")


def _cpu_used(point: MeasuredPoint) -> float:
    return sum(point.used_share.values())


def _io_share(shares: Mapping[str, float]) -> float:
    """Return the I/O domain's share of the sum of both domains, 0..1."""
    return shares.get(IO, 0.0) / sum(shares.values())


def _value_range(values: Sequence[float]) -> float:
    return max(values) - min(values)

"""Sentences about splits into whole CPUs: numbers of CPUs in place of labels."""

from collections.abc import Sequence

from scheduler.model.host_kinds import name_io_domain
from scheduler.model.number_texts import format_cpu_count, format_percent
from scheduler.model.results import RegretRow
from scheduler.model.sentence_texts import join_names
from scheduler.model.setting import split_of
from scheduler.model.spec import Mode
from scheduler.stats.reasons import RecommendationInput
from scheduler.translation import _


def grants_cpus(case: RecommendationInput) -> bool:
    """Return True where a split gives each domain whole CPUs of its own."""
    return case.spec.mode is Mode.DEDICATED and case.cpus > 1


def count_own_cpus(case: RecommendationInput, label: str) -> int:
    """Return the number of CPUs that a measured split gives the I/O domain.

    Args:
        case: The sweep and its points.
        label: Label of the split.
    """
    split = split_of(case.cells.find_setting(label))
    return round(split.io_frac * case.cpus) if split else 0


def describe_own_cpus(case: RecommendationInput, label: str) -> str:
    """Return the CPUs of a split as text: `Dom0 2 CPUs of its own`.

    Args:
        case: The sweep and its points.
        label: Label of the split.
    """
    number = count_own_cpus(case, label)
    return _("{io_domain} {cpus} of its own").format(
        io_domain=name_io_domain(case.spec.host_url, case.spec.io_domain), cpus=_cpus_text(number)
    )


def name_split(case: RecommendationInput, label: str) -> str:
    """Return the name of a split in a sentence: its label, or its number of CPUs.

    Args:
        case: The sweep and its points.
        label: Label of the split.
    """
    return _cpus_text(count_own_cpus(case, label)) if grants_cpus(case) else label


def format_cpu_counts(case: RecommendationInput, labels: Sequence[str]) -> str:
    """Return numbers of CPUs as text: `2 or 4 CPUs`.

    Args:
        case: The sweep and its points.
        labels: Labels of the splits, at least one.
    """
    numbers = sorted(count_own_cpus(case, label) for label in labels)
    return f"{join_names([str(number) for number in numbers])} CPU{'' if numbers == [1] else 's'}"


def has_neighbours(case: RecommendationInput, label: str) -> bool:
    """Return True where one CPU less and one CPU more than a split's were judged, too.

    Args:
        case: The sweep and its points.
        label: Label of the split.
    """
    number, measured = count_own_cpus(case, label), {count_own_cpus(case, each) for each in case.cells.labels}
    return {max(1, number - 1), min(case.cpus - 1, number + 1)} <= measured


def describe_flat_range(case: RecommendationInput, table: Sequence[RegretRow]) -> tuple[str, ...]:
    """Return a sentence about the numbers of CPUs near the best.

    Splits without CPUs of their own have none.

    Args:
        case: The sweep and its points.
        table: The regret table, best first.
    """
    if not grants_cpus(case) or len(table) < 2:
        return ()
    tolerance_frac = case.objective.tolerance_frac
    near = [row.label for row in table if row.utility_frac >= 1 - tolerance_frac]
    reach = format_percent(1 - tolerance_frac)
    if len(near) == 1:
        return (_("The best is sharp: no other measured number of CPUs reaches {reach} of it.").format(reach=reach),)
    return (
        _("The best is flat: {case} reach {reach} of the best, as measured.").format(
            case=format_cpu_counts(case, near), reach=reach
        ),
    )


def _cpus_text(number: int) -> str:
    return format_cpu_count(number)

"""Text about each client computer of a load."""

from collections.abc import Iterable

from app.display_texts import format_percent, format_rate, format_short
from app.load_texts import load_name
from scheduler.model.client_figures import ClientFigures
from scheduler.model.results import MeasuredPoint
from scheduler.translation import _


def clients_words(points: Iterable[MeasuredPoint]) -> list[str]:
    """Return one line per load and client computer, over all splits.

    The list is empty when a single computer made all loads.
    """
    found: dict[tuple[str, str], list[tuple[ClientFigures, str]]] = {}
    for point in points:
        for client, figures in point.clients.items():
            found.setdefault((point.load, client), []).append((figures, point.unit))
    words = _("{load} on {client}: {n} users, {rate} on average, CPU {cpu} at most, clock known to {ms} ms")
    return [
        words.format(
            load=load_name(load),
            client=client,
            n=max(each.users for each, _ in all_of_it),
            rate=format_rate(sum(each.rate_tps for each, _ in all_of_it) / len(all_of_it), all_of_it[0][1]),
            cpu=format_percent(max(each.cpu_frac for each, _ in all_of_it)),
            ms=format_short(max(each.clock_error_ms for each, _ in all_of_it)),
        )
        for (load, client), all_of_it in sorted(found.items())
    ]

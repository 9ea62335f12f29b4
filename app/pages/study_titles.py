"""Headings of studies in the window."""

from scheduler.model.studies import find_study


def rates_title(study: str) -> str:
    """Return the heading of the plot of a study's rates."""
    return find_study(study).rates_title

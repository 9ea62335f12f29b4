"""Domains that xentop cannot count, since xentop knows domains by name alone.

Source: tools/xentop/xentop.c, Xen 4.1 to 4.17.
"""

from collections.abc import Iterator

from scheduler.hosts.xen.domain_view import DomainView
from scheduler.model.host_properties import PreflightFinding, Severity
from scheduler.translation import _

NO_NAME = "(null)"  # xl prints this where xenstore has no name; xentop omits such domains
TWINS_HINT = _("Rename one of them, so that each running domain has a name of its own.")
UNCOUNTED_HINT = _(
    "xentop omits domains without a name in xenstore. The service xen-init-dom0 writes the name of Domain-0: start "
    "that service on the host."
)


def twins_text(name: str) -> str:
    """Return the reason why a domain with a duplicate name is not counted."""
    return _(
        "several running domains are called {name!r}, and xentop, which counts their CPU time, knows names only"
    ).format(name=name)


def uncounted_text(name: str) -> str:
    """Return the reason why a domain that xentop does not list is not counted."""
    return _("xentop, which counts CPU time, does not list {name!r}").format(name=name)


def find_uncounted(picture: DomainView) -> Iterator[PreflightFinding]:
    """Yield errors for the domains of the sweep whose CPU time cannot be counted."""
    names = [row.name for row in picture.survey.domains if row.condition != "dying"]
    for name in dict.fromkeys(seen.row.name for seen in picture.domains):
        if name == NO_NAME:
            yield PreflightFinding(Severity.ERROR, uncounted_text(name), UNCOUNTED_HINT)
        elif names.count(name) > 1:
            yield PreflightFinding(Severity.ERROR, twins_text(name), TWINS_HINT)

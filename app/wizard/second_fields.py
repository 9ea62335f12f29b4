"""A second guest that runs on its host already: which domain it is, and its database. No Qt here."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from app.wizard import reading
from app.wizard.reading import Reader
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import KINDS
from scheduler.model.second import Second, refuse_second

if TYPE_CHECKING:
    from app.wizard.form import SweepForm


class There(NamedTuple):
    """What a plan names of it; empty where the host brings the second guest."""

    neighbour_database: str = ""
    guest_2_domain: str = ""


def is_asked(form: "SweepForm") -> bool:
    """Return whether it has to be named; while the host is unknown, whether it was."""
    if form.facts is None:
        return bool(form.varied.guest_2_domain.strip() or form.varied.neighbour_database.strip())
    return form.facts.second_guest.runs


def second_name(form: "SweepForm") -> str:
    """Return the domain that is chosen, or that is shown as chosen; empty where there is no choice."""
    names = form.facts.second_guest.names if form.facts is not None else ()
    return form.varied.guest_2_domain.strip() or (names[0] if len(names) > 1 else "")


def read_second(form: "SweepForm", reader: Reader, loads: Sequence[LoadSpec]) -> There:
    """Return what the plan names; what is wrong goes to `reader`, and what stands in hidden fields is not read."""
    if not is_asked(form):
        return There()
    name, pair = second_name(form), (form.io_domain.strip(), form.guest_domain.strip())
    refuse = partial(refuse_second, study=form.study, others=pair, loads=loads)
    database = reader.take("neighbour_database", lambda: _database(form, loads), "")
    reader.take("neighbour_database", lambda: refuse(Second(0, "", database)), None)
    reader.take("guest_2_domain", lambda: refuse(Second(0, name, "")), None)
    return There(database, name)


def _database(form: "SweepForm", loads: Sequence[LoadSpec]) -> str:
    """Return its URL; raises SpecError where there has to be one."""
    typed = form.varied.neighbour_database
    needed = form.facts is not None and any(KINDS[load.kind].workload for load in loads[-1:])
    return reading.database(typed) if typed.strip() or needed else ""

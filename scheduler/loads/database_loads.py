"""Loads of a sweep on real databases.

There is one side for each guest, and one for the reference database.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from scheduler.loads.data_fingerprint import refuse_different
from scheduler.loads.database_side import DatabaseSide, open_side
from scheduler.loads.workload_runner import WorkloadRunner
from scheduler.model.host_properties import HostProperties
from scheduler.model.member import Member, Route
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, GUEST_2, DomainId
from scheduler.translation import _


class SideKey(NamedTuple):
    """Side of a member: its guest, in a study of two guests, and its route."""

    guest: DomainId | None
    route: Route


_STUDIED = SideKey(None, Route.IO_DOMAIN)
_REFERENCE = SideKey(None, Route.DIRECT)
_VERSION_NAMES = {_REFERENCE: "base {}", SideKey(GUEST_2, Route.IO_DOMAIN): "{} of the second guest"}
_DATA_NAMES = {_REFERENCE: _("the base"), _STUDIED: _("the studied side")}


class DatabaseLoads:
    """Loads on real databases.

    Args:
        sides: The sides, beginning with the studied one or the first guest. Two routes to one database share a side.
    """

    def __init__(self, sides: Mapping[SideKey, DatabaseSide]) -> None:
        self._sides = sides
        self._runs: dict[tuple[SideKey, str], WorkloadRunner] = {}
        self._differences: dict[str, Sequence[str]] = {}  # load to other differences between two databases

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the users that run now."""
        return tuple(pid for run in self._runs.values() for pid in run.pids)

    def preflight(self) -> Mapping[str, str]:
        first, *others = self._each_side()
        versions = dict(first[1].preflight())
        for key, side in others:
            differing = {name: text for name, text in side.preflight().items() if versions.get(name) != text}
            versions |= {_VERSION_NAMES[key].format(name): text for name, text in differing.items()}
        return versions

    def differences(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(line for _, side in self._each_side() for line in side.differences()))

    def member(self, member: Member) -> WorkloadRunner:
        """Return the runner of one member of a trial, not started.

        An earlier run of the member is ended.
        """
        key = SideKey(member.guest, member.route)
        if (key, member.load) in self._runs:
            self._runs[key, member.load].end()
        compare = partial(self._compare_data, member.load, self._sides[key])
        run = self._runs[key, member.load] = self._sides[key].runner(member, compare)
        return run

    def close(self) -> None:
        for run in self._runs.values():
            run.end()
        self._runs.clear()
        for _unused, side in self._each_side():
            side.close()

    def _each_side(self) -> Iterator[tuple[SideKey, DatabaseSide]]:
        seen: set[int] = set()
        for key, side in self._sides.items():
            if id(side) not in seen:
                seen.add(id(side))
                yield key, side

    def _compare_data(self, load: str, prepared: DatabaseSide) -> Sequence[str]:
        """Refuse a reference with other data than the studied side, once per load.

        Return minor differences as sentences.

        Args:
            load: Name of a load.
            prepared: Side on which the load's tables were prepared; the tables of the other side are prepared here.
        """
        sides = {_DATA_NAMES[key]: side for key, side in self._each_side() if key in _DATA_NAMES}
        if len(sides) < 2 or load in self._differences:  # two routes to one database are one side
            return self._differences.get(load, ())
        for side in sides.values():
            if side is not prepared and (tables := side.tables(load)) is not None:
                tables.prepare(load)
        found = {name: sides[name].fingerprint(load) for name in _DATA_NAMES.values()}
        self._differences[load] = refuse_different(found)
        return self._differences[load]


def open_pool(
    spec: RunSpec,
    facts: HostProperties,
    database_url: str,
    secrets: Mapping[str, str],
    *,
    direct_url: str = "",
    guest_2_url: str = "",
) -> DatabaseLoads:
    """Return the loads of a sweep, not connected.

    Args:
        spec: The plan.
        facts: Properties of the host; its users run on `client_cpus`. With several CPUs, the users of each of two
            guests have some of them to themselves.
        database_url: The built-in database, reached through the I/O domain; empty for none.
        secrets: Database URL to its password; empty for none. No other place is searched for a password.
        direct_url: The same database, reached without the I/O domain; empty when no setting needs it.
        guest_2_url: The built-in database of the second guest; empty for none.

    Raises:
        SpecError: A load has no database, or its URL is invalid.
    """
    if spec.guest_loads:
        return DatabaseLoads(_guest_sides(spec, facts, {GUEST: database_url, GUEST_2: guest_2_url}, secrets))
    studied = open_side(spec, facts, database_url, secrets, direct_url)
    if direct_url:
        return DatabaseLoads({_STUDIED: studied, _REFERENCE: studied})
    if not spec.study.reference_url:
        return DatabaseLoads({_STUDIED: studied})
    loads = tuple(msgspec.structs.replace(load, database=spec.study.reference_url) for load in spec.loads)
    reference = open_side(msgspec.structs.replace(spec, loads=loads, server={}), facts, "", secrets)
    return DatabaseLoads({_STUDIED: studied, _REFERENCE: reference})


def _guest_sides(
    spec: RunSpec, facts: HostProperties, urls: Mapping[DomainId, str], secrets: Mapping[str, str]
) -> dict[SideKey, DatabaseSide]:
    loads = spec.guest_loads
    return {
        SideKey(guest, Route.IO_DOMAIN): open_side(
            # The load already has its guest's users and URL, so the study's own fields are left out.
            msgspec.structs.replace(spec, loads=(load,), study=type(spec.study)()),
            msgspec.structs.replace(facts, client_cpus=_divide_cpus(facts.client_cpus, place, len(loads))),
            urls[guest],
            secrets,
        )
        for place, (guest, load) in enumerate(loads.items())
    }


def _divide_cpus(cpus: Sequence[int], place: int, parts: int) -> tuple[int, ...]:
    """Return one part of the CPUs, or all CPUs when there are too few to divide."""
    return tuple(cpus[place::parts]) if len(cpus) >= parts else tuple(cpus)

"""The loads of a sweep on real databases: one side for each guest, and one for the database they are compared with."""

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
from scheduler.model.studies import IsolationStudy


class SideKey(NamedTuple):
    """Side of a member: the guest where there are two, and the route to the database."""

    guest: DomainId | None
    route: Route


_STUDIED = SideKey(None, Route.IO_DOMAIN)
_REFERENCE = SideKey(None, Route.DIRECT)
_VERSION_NAMES = {_REFERENCE: "base {}", SideKey(GUEST_2, Route.IO_DOMAIN): "{} of the second guest"}
_DATA_NAMES = {_REFERENCE: "the base", _STUDIED: "the studied side"}


class DatabaseLoads:
    """Loads on real databases.

    Args:
        sides: The sides, the studied one or the first guest's first. Two routes to one database have the same side.
    """

    def __init__(self, sides: Mapping[SideKey, DatabaseSide]) -> None:
        self._sides = sides
        self._runs: dict[tuple[SideKey, str], WorkloadRunner] = {}
        self._differences: dict[str, Sequence[str]] = {}  # load to what else differs between two databases

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

    def deviations(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(line for _, side in self._each_side() for line in side.deviations()))

    def member(self, member: Member) -> WorkloadRunner:
        """Return what runs of one member of a trial, nothing started yet; an earlier run of that member is ended."""
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
        for _, side in self._each_side():
            side.close()

    def _each_side(self) -> Iterator[tuple[SideKey, DatabaseSide]]:
        seen: set[int] = set()
        for key, side in self._sides.items():
            if id(side) not in seen:
                seen.add(id(side))
                yield key, side

    def _compare_data(self, load: str, prepared: DatabaseSide) -> Sequence[str]:
        """Refuse a reference elsewhere with other data than the studied side, once; returns what else differs.

        Args:
            load: Name of a load.
            prepared: Side on which its tables were prepared; on the other one they are prepared here.
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
    """Return the loads of a sweep, nothing connected yet.

    Args:
        spec: The sweep.
        facts: Its host; its `client_cpus` are where the users run. Where they are several, each of two guests' users
            have some of them to themselves.
        database_url: The database that the host brings, reached through its I/O domain; empty where it brings none.
        secrets: Database URL to password; empty for none, and nobody looks for another one.
        direct_url: The same database, reached without the I/O domain between; empty where no setting wants that.
        guest_2_url: Likewise the database of the second guest; empty where the host brings none.

    Raises:
        SpecError: A load has no database, or a URL that is none.
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
            msgspec.structs.replace(spec, loads=(load,), study=IsolationStudy()),  # it is the load's own by now
            msgspec.structs.replace(facts, client_cpus=_divide_cpus(facts.client_cpus, place, len(loads))),
            urls[guest],
            secrets,
        )
        for place, (guest, load) in enumerate(loads.items())
    }


def _divide_cpus(cpus: Sequence[int], place: int, parts: int) -> tuple[int, ...]:
    """Return one part of the CPUs; all where they are too few for each to have one."""
    return tuple(cpus[place::parts]) if len(cpus) >= parts else tuple(cpus)

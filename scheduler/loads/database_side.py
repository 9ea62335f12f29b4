"""Loads of a sweep on one side: its databases, tables and users."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import cast

import msgspec

from scheduler.databases.database_registry import open_database
from scheduler.databases.protocols import DatabaseAccess
from scheduler.errors import SpecError
from scheduler.loads.data_fingerprint import DataFingerprint, settings_query
from scheduler.loads.load_registry import open_clients
from scheduler.loads.server_report_notes import server_setting_notes as of_server
from scheduler.loads.user_messages import BeginOrder
from scheduler.loads.user_pool import UserPool
from scheduler.loads.user_protocols import ClientSite, EngineModule, LoadUsers
from scheduler.loads.workload import CanFingerprint, CanOpenWorkload, DatabaseWorkload
from scheduler.loads.workload_runner import LoadTables, WorkloadRunner
from scheduler.model.databases import DATABASES, POOLER, POOLER_SENTENCE
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.member import Member, Route
from scheduler.model.sentence_texts import join_names, load_title
from scheduler.model.spec import RunSpec
from scheduler.translation import _


def mix_notes(spec: RunSpec) -> Iterator[str]:
    """Yield a sentence for each mix, and for each load with tables of its own."""
    for mix in spec.mixes:
        if not mix[0].mix:
            continue
        loads = [spec.load_of(name) for name in mix]
        users = join_names(
            _("{users} users of {load}").format(users=load.users, load=load_title(load.kind)) for load in loads
        )
        yield (
            _(
                "{mix}: {users} work at the same time. The rate of each depends on the others' "
                "users; the CPU used is that of all loads together."
            ).format(mix=mix[0].mix, users=users)
        )
    own = dict.fromkeys(load.kind for load in spec.loads if load.own)
    for kind in own:
        yield _("In a mix, {kind} changes rows that no other load uses, so that each load can be checked.").format(
            kind=kind
        )


class DatabaseSide:
    """Loads of a sweep on the databases of one guest, or on the reference databases.

    Args:
        spec: The plan, with the loads of this side.
        facts: Properties of the host; the users of this side run on `client_cpus`.
        databases: Load to its database; a load that needs none may be missing.
        workloads: Load to its tables; a load without tables of ours is missing.
        clients: Computers that make the load; None for this computer.
        direct: Load to the same database without the I/O domain, for users only.
    """

    def __init__(
        self,
        spec: RunSpec,
        facts: HostProperties,
        databases: Mapping[str, DatabaseAccess],
        workloads: Mapping[str, DatabaseWorkload],
        clients: ClientSite | None = None,
        direct: Mapping[str, DatabaseAccess] = {},
    ) -> None:
        self._spec = spec
        self._facts = facts
        self._databases = databases
        self._workloads = workloads
        self._clients = clients
        self._direct = direct
        self._versions: dict[str, str] = {}

    def preflight(self) -> Mapping[str, str]:
        first: DatabaseAccess | None = None
        for load in self._spec.loads:
            if LOAD_KINDS[load.kind].engine:
                self._versions.update(_engine_module(load.kind).versions(load))
            database = self._databases.get(load.name)
            if database is None:
                continue
            found = database.versions()
            if load.name in self._workloads:
                with database.translated(_("looking at the tables of {load}").format(load=load.name)):
                    database.lock(load.tuples)
                    self._workloads[load.name].preflight(database.session())
            if first is None or database is first:
                first = database
                self._versions.update(found)
            else:  # a second server: add its values under the load's name
                self._versions.update({f"{load.kind} {name}": value for name, value in found.items()})
        if all(LOAD_KINDS[load.kind].engine for load in self._spec.loads):
            self._versions.pop("users' driver", None)  # no user has a driver of ours
        if self._clients is not None:
            self._versions.update(self._clients.preflight([each.params for each in self._databases.values()]))
        return dict(self._versions)

    def differences(self) -> tuple[str, ...]:
        sentences: dict[str, None] = {}  # a set in order, because loads share most sentences
        for load in self._spec.loads:
            if load.name in self._workloads:
                found = self._workloads[load.name].differences(self._spec, self._facts, self._versions)
                sentences.update(dict.fromkeys(found))
            if LOAD_KINDS[load.kind].engine:
                sentences.update(dict.fromkeys(_engine_module(load.kind).sentences(load)))
        if any(name.endswith(POOLER) for name in self._versions):
            sentences[POOLER_SENTENCE] = None
        sentences.update(dict.fromkeys(mix_notes(self._spec)))
        sentences.update(dict.fromkeys(of_server(self._spec, self._versions)))
        if self._clients is not None:
            sentences[self._clients.sentence()] = None
        return tuple(sentences)

    def tables(self, name: str) -> LoadTables | None:
        """Return the tables of a load; None for a load without tables of ours."""
        workload = self._workloads.get(name)
        return LoadTables(self._databases[name], workload) if workload is not None else None

    def runner(self, member: Member, compare: Callable[[], Sequence[str]]) -> WorkloadRunner:
        """Return the runner of one member, not started.

        Args:
            member: Load, route and number of users.
            compare: Called after the tables are prepared; see `WorkloadRunner`.
        """
        load = msgspec.structs.replace(self._spec.load_of(member.load), users=member.users)
        users = self._direct if self._direct and member.route is Route.DIRECT else self._databases
        return WorkloadRunner(member.load, self.tables(member.load), partial(self._open_users, load, users), compare)

    def fingerprint(self, kind: str) -> DataFingerprint:
        """Return the rows of a load's database, if known, and its decisive settings."""
        database = self._databases[kind]
        workload = self._workloads.get(kind)
        with database.translated(_("looking at the tables of {kind}").format(kind=kind)):
            session = database.session()
            rows: Mapping[str, str] = workload.fingerprint(session) if isinstance(workload, CanFingerprint) else {}
            found = session.rows(settings_query(session.database))
        settings = {str(name): str(value) for name, value in found}
        return DataFingerprint(
            database=session.database, version=self._database_version(kind), data=rows, settings=settings
        )

    def _database_version(self, kind: str) -> str:
        return self._databases[kind].versions().get(self._databases[kind].name, "")

    def close(self) -> None:
        """Close every connection; never raise."""
        if self._clients is not None:
            self._clients.close()
        for database in self._databases.values():
            database.close()

    def _open_users(self, load: LoadSpec, databases: Mapping[str, DatabaseAccess]) -> LoadUsers:
        kind = load.kind
        begin = partial(self._begin_order, load, databases)
        if LOAD_KINDS[kind].engine:
            return _engine_module(kind).open_engine(begin(kind, 0), load.users)
        probe = begin(LOAD_KINDS[kind].probe, load.users) if load.probe else None
        begins = [begin(kind, number) for number in range(load.users)]
        limit = LOAD_KINDS[kind].limit
        return UserPool(begins, probe, float(load.values[limit]) if limit else 0.0, self._clients)

    def _begin_order(
        self, load: LoadSpec, databases: Mapping[str, DatabaseAccess], kind: str, number: int
    ) -> BeginOrder:
        database = databases.get(load.name)
        params: Mapping[str, str] = database.params if database is not None else {}
        cpus, name = self._facts.client_cpus, database.name if database is not None else load.dialect
        return BeginOrder(params, kind, load.tuples, self._spec.seed, number, cpus, load.values, name, load.own)


def open_side(
    spec: RunSpec, facts: HostProperties, database_url: str, secrets: Mapping[str, str], direct_url: str = ""
) -> DatabaseSide:
    """Return the loads on one side, not connected.

    Args:
        spec: The plan, with the loads of this side.
        facts: Properties of the host; the users run on `client_cpus`.
        database_url: The built-in database, reached through the I/O domain; empty for none.
        secrets: Database URL to its password; empty for none. No other place is searched for a password.
        direct_url: The same database, reached without the I/O domain; empty when no setting needs it.

    Raises:
        SpecError: A load has no database, or its URL is invalid.
    """
    databases: dict[str, DatabaseAccess] = {}
    for load in spec.loads:
        url = database_url or load.url
        if not url and not LOAD_KINDS[load.kind].workload:
            continue
        if not url:
            raise SpecError(
                "load.database",
                _("{kind} names none, and the host brings none").format(kind=load.kind),
                hint=_("Write database = '{template}'.").format(template=DATABASES[load.engine].template),
            )
        if url not in databases:
            databases[url] = open_database(url, secrets.get(url, ""))
    urls = {load.name: url for load in spec.loads if (url := database_url or load.url)}
    of_load: dict[str, DatabaseAccess] = {name: databases[url] for name, url in urls.items()}
    with_tables = [load for load in spec.loads if LOAD_KINDS[load.kind].workload]
    workloads: dict[str, DatabaseWorkload] = {load.name: _open_workload(load) for load in with_tables}
    clients = open_clients(spec.clients, facts.client_cpus) if spec.clients.remote else None
    direct = {url: open_database(direct_url, secrets.get(url, "")) for url in databases if direct_url}
    return DatabaseSide(
        spec, facts, of_load, workloads, clients, {name: direct[url] for name, url in urls.items() if url in direct}
    )


def _open_workload(load: LoadSpec) -> DatabaseWorkload:
    opened: CanOpenWorkload = import_module(LOAD_KINDS[load.kind].workload).open_workload
    return opened(load)


def _engine_module(kind: str) -> EngineModule:
    return cast("EngineModule", import_module(LOAD_KINDS[kind].engine))

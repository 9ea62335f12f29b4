"""Texts about a plan's loads: users, databases and clients."""

from collections.abc import Collection, Sequence

from app.display_texts import join_list
from app.load_texts import load_name, times_users, users_words
from app.studies.text_registry import study_texts_of
from scheduler.model.databases import DATABASES, STANDARD_DATABASE
from scheduler.model.host_kinds import is_simulated
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec
from scheduler.translation import _


def loads_sentence(spec: RunSpec) -> str:
    """Return sentences about users, databases and clients of a plan.

    A database that all loads share is named once.
    """
    if not spec.clients.remote:
        return _loads_sentence(spec)
    workers = join_list(spec.clients.workers) or _("all workers")
    text = _("The users run on {workers} of the Dask scheduler at {address}.")
    return f"{_loads_sentence(spec)} {text.format(workers=workers, address=spec.clients.scheduler)}"


def loads_answer(spec: RunSpec) -> str:
    """Return all loads with their users in one line, single loads before mixes."""
    alone = {load.kind: load.users for load in spec.loads if not load.mix}
    mixed = [_mix_text([spec.load_of(name) for name in mix], alone) for mix in spec.mixes if mix[0].mix]
    return ", ".join(filter(None, (times_users(alone.items()), *mixed)))


def _mix_text(members: Sequence[LoadSpec], alone: Collection[str]) -> str:
    """Return the name of a mix, with its loads unless they are the single loads.

    Loads that do not run alone have their users.
    """
    if {load.kind for load in members} == {*alone}:
        return members[0].mix
    each = [load_name(load.kind) if load.kind in alone else times_users([(load.kind, load.users)]) for load in members]
    return f"{members[0].mix}: {' + '.join(each)}"


def _loads_sentence(spec: RunSpec) -> str:
    words = study_texts_of(spec.kind.name)
    if words and (own := words.loads_sentence(spec)):
        return own
    alone = [load for load in spec.loads if not load.mix]
    named = {load.kind for load in alone}
    together = [_mix_sentence([spec.load_of(name) for name in mix], named, spec) for mix in spec.mixes if mix[0].mix]
    return " ".join([*([_single_loads_sentence(alone, spec)] if alone else []), *together])


def _mix_sentence(members: Sequence[LoadSpec], named: Collection[str], spec: RunSpec) -> str:
    """Return sentences about a mix: its users, and databases not named before.

    Args:
        members: Loads of the mix.
        named: Kinds of the loads whose database was named before.
        spec: The plan.
    """
    who = join_list([users_words(load.kind, load.users) for load in members])
    where = [_database_text(load, spec) for load in members if load.kind not in named]
    text = _("Together, as {mix}: {users}. Database: {place}.") if where else _("Together, as {mix}: {users}.")
    return text.format(mix=members[0].mix, users=who, place=join_list(list(dict.fromkeys(where))))


def _single_loads_sentence(loads: Sequence[LoadSpec], spec: RunSpec) -> str:
    words = study_texts_of(spec.kind.name)
    where = [_database_text(load, spec) for load in loads]
    users = [users_words(load.kind, load.users) for load in loads]
    users = [words.users_words(each) for each in users] if words else users
    if len(set(where)) == 1:
        text = (
            _("{users}. Database: {place}.")
            if len(loads) == 1
            else _("One load at a time: {users}. Database: {place}.")
        )
        return _capitalise_first(text.format(users=join_list(users), place=where[0]))
    text = _("{users}. Database: {place}.")
    each = [text.format(users=who, place=place) for who, place in zip(users, where, strict=True)]
    return " ".join([_("The loads run one at a time."), *each])


def _database_text(load: LoadSpec, spec: RunSpec) -> str:
    simulated = is_simulated(spec.host_url)
    own = _("simulated") if simulated else _("built-in")
    if load.engine != STANDARD_DATABASE and not simulated:
        own = _("{database} of this computer").format(database=DATABASES[load.engine].title)
    if spec.server:
        settings = join_list([f"{name} = {value}" for name, value in spec.server.items()])
        own = _("{database}, started with {settings}").format(database=own, settings=settings)
    place = load.url or own
    if "tuples" not in load.values:
        return place
    return _("{place}, {rows} rows per table").format(place=place, rows=f"{load.tuples:,}")


def _capitalise_first(text: str) -> str:
    return text[:1].upper() + text[1:]

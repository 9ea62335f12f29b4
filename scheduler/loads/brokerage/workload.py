"""The tables' side of the brokerage: loaded once, restored before each block, checked after it."""

from collections.abc import Mapping

import msgspec

from scheduler.databases.base import Session
from scheduler.errors import LoadError, SpecError
from scheduler.loads.base import LoadCheck
from scheduler.loads.brokerage import conditions, deviations, inputs, loading
from scheduler.loads.brokerage.on_mariadb import MARIADB
from scheduler.loads.brokerage.on_postgresql import POSTGRESQL
from scheduler.loads.brokerage.prices import COMPLETED
from scheduler.loads.brokerage.schema import Dialect
from scheduler.loads.brokerage.size import size_of
from scheduler.loads.brokerage.trading import SOLD_AT_A_PRICE
from scheduler.loads.brokerage.users import CHANGED
from scheduler.loads.orders import Totals
from scheduler.model.facts import HostFacts
from scheduler.model.spec import LoadSpec, RunSpec

DIALECTS: Mapping[str, Dialect] = {"postgresql": POSTGRESQL, "mariadb": MARIADB}

_STATE = (
    f"SELECT count(*), sum(CASE WHEN t_status = '{COMPLETED}' THEN 1 ELSE 0 END), sum(t_changes),"
    " (SELECT sum(lt_vol) FROM @.last_trade) FROM @.trade"
)


class State(msgspec.Struct, frozen=True):
    """What the tables hold: trades, those completed, changes of names in trades, and pieces sold at new prices."""

    trades: int
    completed: int
    changes: int
    volume: int


class BrokerageWorkload:
    """The tables of one load.

    Args:
        load: The load of the plan.
    """

    def __init__(self, load: LoadSpec) -> None:
        self._load = load
        self._size = size_of(load.values)
        self._before: State | None = None

    def preflight(self, session: Session) -> None:
        _dialect(session)
        loading.refuse_foreign(session, self._size)

    def prepare(self, session: Session) -> None:
        there = loading.is_loaded(session, self._size)
        if not there or self._restored(session):
            flaws = self._made(session)
            if flaws:
                raise LoadError(
                    f"the tables of the brokerage were put in order, but {'; '.join(flaws[:3])}",
                    hint="Does another program write to them?",
                )
        self._before = self._state(session)

    def check(self, session: Session, totals: Totals) -> LoadCheck:
        if self._before is None:
            raise LoadError("the brokerage was checked before it was prepared")
        flaws = conditions.flaws(session, self._size)
        return after_users(self._before, self._state(session), totals, flaws)

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.sentences(self._load, DIALECTS[self._load.engine], facts, versions)

    def _made(self, session: Session) -> list[str]:
        """Make the tables; return what is wrong with them."""
        from importlib.metadata import version  # not for each user's process: it starts in a hurry

        loading.load(session, _dialect(session), self._size, version("domtune"))
        flaws = self._restored(session)
        if not flaws:
            loading.mark_complete(session, self._size)
        return flaws

    def _restored(self, session: Session) -> list[str]:
        """Bring the tables back to their copies; return what is wrong with these."""
        loading.restore(session, _dialect(session), self._size)
        return [*loading.lacking(session, self._size), *conditions.flaws(session, self._size)]

    def _state(self, session: Session) -> State:
        [found] = session.rows(self._size.named(_STATE))
        return State(*map(int, found))


def after_users(before: State, after: State, totals: Totals, flaws: list[str]) -> LoadCheck:
    """Compare the tables with what all users together say they committed.

    Args:
        before: The tables when they started.
        after: The tables when they had stopped.
        totals: All users together, warm-up and tail included.
        flaws: What breaks the conditions.
    """
    feeds, left = divmod(after.volume - before.volume, SOLD_AT_A_PRICE * inputs.PRICES)
    said = totals.sorts
    renamed = sum(
        int(answer.removeprefix(CHANGED)) * times
        for answer, times in totals.answers.items()
        if answer.startswith(CHANGED)
    )
    compared = (
        (said.get(inputs.TRADE_ORDER, 0), after.trades - before.trades, "new trades"),
        (said.get(inputs.TRADE_RESULT, 0), after.completed - before.completed, "completed trades"),
        (renamed, after.changes - before.changes, "changed names in trades"),
        (said.get(inputs.MARKET_FEED, 0), feeds, "feeds of prices"),
    )
    found = [
        *(f"the users committed {users} {what}" for users, tables, what in compared if users != tables),
        f"{left} pieces were sold that no feed of prices sells" if left else "",
        *flaws,
    ]
    held = "" if flaws else f"; conditions {', '.join(str(each.number) for each in conditions.CONDITIONS)} hold"
    words = f"the tables have {', '.join(f'{tables} {what}' for _, tables, what in compared)}{held}"
    return LoadCheck(not any(found), "; ".join([words, *filter(None, found)]))


def open_workload(load: LoadSpec) -> BrokerageWorkload:
    """Return the tables' side of one load."""
    return BrokerageWorkload(load)


def _dialect(session: Session) -> Dialect:
    if session.database not in DIALECTS:
        hint = "Take another database."
        raise SpecError("load.database", f"the brokerage does not run on {session.database}", hint=hint)
    return DIALECTS[session.database]

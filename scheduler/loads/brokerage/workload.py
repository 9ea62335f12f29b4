"""The tables' side of the brokerage: loaded once, restored before each block, checked after it."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.databases.base import Session
from scheduler.loads.base import LoadCheck
from scheduler.loads.brokerage import conditions, deviations, inputs, loading
from scheduler.loads.brokerage.on_mariadb import MARIADB
from scheduler.loads.brokerage.on_postgresql import POSTGRESQL
from scheduler.loads.brokerage.prices import COMPLETED
from scheduler.loads.brokerage.schema import Dialect
from scheduler.loads.brokerage.size import size_of
from scheduler.loads.brokerage.trading import SOLD_AT_A_PRICE
from scheduler.loads.brokerage.users import CHANGED
from scheduler.loads.kept_tables import KeptTables
from scheduler.loads.orders import Totals
from scheduler.model.facts import HostFacts
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec

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


class BrokerageWorkload(KeptTables[State, Dialect]):
    """The tables of one load.

    Args:
        load: The load of the plan.
    """

    title = "the brokerage"
    dialects = DIALECTS

    def __init__(self, load: LoadSpec) -> None:
        super().__init__()
        self._load = load
        self._size = size_of(load.values)

    def deviations(self, spec: RunSpec, facts: HostFacts, versions: Mapping[str, str]) -> tuple[str, ...]:
        return deviations.sentences(self._load, DIALECTS[self._load.engine], facts, versions)

    def refuse_foreign(self, session: Session) -> None:
        loading.refuse_foreign(session, self._size)

    def is_loaded(self, session: Session) -> bool:
        return loading.is_loaded(session, self._size)

    def load(self, session: Session, version: str) -> None:
        loading.load(session, self.dialect(session), self._size, version)

    def mark_complete(self, session: Session) -> None:
        loading.mark_complete(session, self._size)

    def restore(self, session: Session) -> None:
        loading.restore(session, self.dialect(session), self._size)

    def lacking(self, session: Session) -> list[str]:
        return loading.lacking(session, self._size)

    def broken(self, session: Session) -> list[str]:
        return conditions.flaws(session, self._size)

    def state(self, session: Session) -> State:
        [found] = session.rows(self._size.named(_STATE))
        return State(*map(int, found))

    def after_users(self, before: State, after: State, totals: Totals, flaws: Sequence[str]) -> LoadCheck:
        return after_users(before, after, totals, flaws)


def after_users(before: State, after: State, totals: Totals, flaws: Sequence[str]) -> LoadCheck:
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

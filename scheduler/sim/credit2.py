"""Xen's credit2: credit burns by weight; caps are budgets of 10 ms.

Weights decide only while both domains want to run. A cap limits a domain even on an idle CPU.
"""

from scheduler.sim.dispatch import LEAST_US, NEVER, NOBODY
from scheduler.sim.weighted_domain import RATE_LIMIT_US, WeightedDomain

_START_US = 10_500.0  # sched_credit2.c: credit of all domains when the first in the queue has none left
_SLICE_US = (500.0, 10_000.0)
_CAP_PERIOD_US = 10_000.0  # Xen command line, credit2_cap_period_ms


class _Credit2Account:
    """Credit of a domain, and the rest of its cap in this period."""

    def __init__(self, worth: WeightedDomain) -> None:
        self.weight, self.cap_frac = worth.weight, worth.cap_frac
        self.credit_us = _START_US
        self.budget_us = worth.cap_frac * _CAP_PERIOD_US if worth.cap_frac else NEVER
        self.awake = False


class Credit2Dispatcher:
    """Xen's credit2: credit burns by weight; caps are budgets of 10 ms.

    Args:
        worths: Weight and cap of each domain.
    """

    def __init__(self, worths: tuple[WeightedDomain, ...]) -> None:
        self._accounts = tuple(_Credit2Account(worth) for worth in worths)
        self._most = max(worth.weight for worth in worths)
        self._next_us = _CAP_PERIOD_US
        self._running: int = NOBODY
        self._since_us = 0.0

    def wake(self, domain: int, now_us: float) -> None:
        self._accounts[domain].awake = True

    def block(self, domain: int, now_us: float) -> None:
        self._accounts[domain].awake = False

    def ran(self, domain: int, took_us: float, now_us: float) -> None:
        account = self._accounts[domain]
        account.credit_us -= took_us * self._most / account.weight
        account.budget_us -= took_us

    def held(self, domain: int) -> bool:
        account = self._accounts[domain]
        return account.awake and account.budget_us <= LEAST_US

    def choose(self, now_us: float) -> tuple[int, float]:
        while self._next_us <= now_us:
            self._replenish_budgets()
            self._next_us += _CAP_PERIOD_US
        best = self._choose_domain(now_us)
        if best != self._running:
            self._running, self._since_us = best, now_us
        if best == NOBODY:
            return NOBODY, self._next_us
        return best, min(self._next_us, now_us + self._slice_us(best, now_us))

    def _choose_domain(self, now_us: float) -> int:
        accounts = self._accounts
        ready = [d for d, account in enumerate(accounts) if account.awake and account.budget_us > LEAST_US]
        if not ready:
            return NOBODY
        if self._running in ready and now_us - self._since_us < RATE_LIMIT_US - LEAST_US:
            return self._running
        best = max(ready, key=lambda d: (accounts[d].credit_us, d == self._running))
        if accounts[best].credit_us <= 0:  # all start again; debts remain
            for account in accounts:
                account.credit_us = min(account.credit_us + _START_US, _START_US)
        return best

    def _slice_us(self, best: int, now_us: float) -> float:
        """Return how long the chosen domain may run, microseconds.

        It runs until its credit equals the other's, within limits, and at most for its budget.
        """
        account = self._accounts[best]
        others = [other.credit_us for other in self._accounts if other is not account and other.awake]
        lead_us = (account.credit_us - max(others, default=0.0)) * account.weight / self._most
        least_us, most_us = _SLICE_US
        left_us = max(0.0, RATE_LIMIT_US - (now_us - self._since_us))
        return min(max(lead_us, least_us, left_us), most_us, account.budget_us)

    def _replenish_budgets(self) -> None:
        for account in self._accounts:
            if account.cap_frac:
                most_us = account.cap_frac * _CAP_PERIOD_US
                account.budget_us = min(account.budget_us + most_us, most_us)

"""Xen's first credit scheduler: credit by weight, boosts, parking at the cap.

Weights decide only while both domains want to run. A cap limits a domain even on an idle CPU.
"""

from scheduler.sim.dispatch import LEAST_US, NOBODY
from scheduler.sim.weighted_domain import RATE_LIMIT_US, WeightedDomain

_OVER, _UNDER, _BOOST = 0, 1, 2
_TICKS = 3  # sched_credit.c: a time slice has three ticks, accounting comes with each slice


class _CreditAccount:
    """Credit of a domain; the larger priority runs first."""

    def __init__(self, worth: WeightedDomain) -> None:
        self.weight, self.cap_frac = worth.weight, worth.cap_frac
        self.credit_us = 0.0
        self.awake = False
        self.active = False  # used or wanted CPU since the last accounting
        self.priority = _UNDER
        self.parked = False


class CreditDispatcher:
    """Xen's first credit scheduler.

    Each slice gives credit by weight. A domain that wakes is boosted. A domain at its cap is parked.

    Args:
        worths: Weight and cap of each domain.
        slice_us: Time slice and accounting interval, microseconds.
    """

    def __init__(self, worths: tuple[WeightedDomain, ...], slice_us: float = 30_000.0) -> None:
        self._accounts = tuple(_CreditAccount(worth) for worth in worths)
        self._slice_us = slice_us
        self._next_us = slice_us
        self._tick_us = slice_us / _TICKS
        self._running: int = NOBODY
        self._since_us = 0.0

    def wake(self, domain: int, now_us: float) -> None:
        account = self._accounts[domain]
        account.awake = account.active = True
        if account.priority == _UNDER and not account.parked:
            account.priority = _BOOST

    def block(self, domain: int, now_us: float) -> None:
        self._accounts[domain].awake = False

    def ran(self, domain: int, took_us: float, now_us: float) -> None:
        account = self._accounts[domain]
        account.credit_us -= took_us
        account.active = True
        if account.priority == _BOOST and now_us - self._since_us >= self._tick_us - LEAST_US:
            account.priority = _UNDER

    def held(self, domain: int) -> bool:
        account = self._accounts[domain]
        return account.awake and account.parked

    def choose(self, now_us: float) -> tuple[int, float]:
        while self._next_us <= now_us:
            self._assign_credit()
            self._next_us += self._slice_us
        best = self._choose_domain(now_us)
        if best != self._running:
            self._running, self._since_us = best, now_us
        if best == NOBODY:
            return NOBODY, self._next_us
        return best, min(self._next_us, self._next_choice_us(now_us))

    def _choose_domain(self, now_us: float) -> int:
        """Return the domain of highest priority; the running one wins a tie in its slice."""
        ready = [domain for domain, account in enumerate(self._accounts) if account.awake and not account.parked]
        if not ready:
            return NOBODY
        running, ran_us = self._running, now_us - self._since_us
        if running in ready and ran_us < RATE_LIMIT_US - LEAST_US:
            return running
        over = running in ready and ran_us >= self._slice_us - LEAST_US

        def rank(domain: int) -> tuple[int, bool, bool]:
            stays = domain == running and not over
            return self._accounts[domain].priority, stays, domain != running

        best = max(ready, key=rank)
        if over and best == running:
            self._since_us = now_us  # alone: a new slice
        return best

    def _next_choice_us(self, now_us: float) -> float:
        """Return when the slice, the boost or the rate limit of the running domain ends."""
        ran_us = now_us - self._since_us
        ends = (RATE_LIMIT_US, self._tick_us, self._slice_us)
        return self._since_us + min((end for end in ends if end > ran_us + LEAST_US), default=self._slice_us)

    def _assign_credit(self) -> None:
        """Give active domains credit by weight, at most their caps; then mark debtors."""
        active = [account for account in self._accounts if account.active or account.awake]
        for account, income_us in zip(active, self._credit_incomes(active), strict=True):
            account.credit_us += income_us
            account.active = account.awake
            limit_us = account.cap_frac * self._slice_us
            if account.credit_us < 0:
                account.priority = _OVER
                account.credit_us = max(account.credit_us, -self._slice_us)
                account.parked = account.parked or (limit_us > 0 and account.credit_us < -limit_us)
                continue
            account.parked = False
            account.priority = max(_UNDER, account.priority)
            account.credit_us = min(account.credit_us, self._slice_us)

    def _credit_incomes(self, active: list[_CreditAccount]) -> list[float]:
        total = sum(account.weight for account in active)
        fair = [self._slice_us * account.weight / total for account in active]
        capped = [
            min(income, account.cap_frac * self._slice_us) if account.cap_frac else income
            for account, income in zip(active, fair, strict=True)
        ]
        free = [index for index, account in enumerate(active) if not account.cap_frac]
        for index in free:
            capped[index] += (self._slice_us - sum(capped)) / len(free) if sum(capped) < self._slice_us else 0.0
        return capped

"""The rule: the best split for the load of the moment, from nothing but the CPU time that each domain received.

What a domain receives per transaction is what a transaction costs it, whatever the split (utilisation law: Denning and
Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10(3), 1978). So

    r = b_io / b_g

is the ratio of both domains' costs; no throughput is needed. Kleinrock's capacity assignment (Communication Nets, 1964)
gives each station what it uses, and divides the rest by the square root of use:

    q_i = b_i + (C - b_io - b_g) * sqrt(b_i) / (sqrt(b_io) + sqrt(b_g))

which is, with the part sigma = (b_io + b_g) / C of the CPU that is in use, the I/O domain's share

    s = sigma * r / (1 + r)  +  (1 - sigma) * sqrt(r) / (1 + sqrt(r))

A full host is divided in proportion to use, an idle one by its square root, so that a burst meets slack on both sides.
While one domain takes nearly all that it may, the pair uses less than it would elsewhere: sigma is then taken to be at
least `_STARVED_FILLED`. CPU time is in CPUs (seconds per second) throughout.
"""

import math

import msgspec

from scheduler.errors import SpecError
from scheduler.model.split import Split, split_between

# Beyond this part of what it may use, a domain waits for its limit and not for work.
AT_LIMIT_FRAC = 0.9
# How full the pair is taken to be at least while a domain is at its limit.
_STARVED_FILLED = 0.8
# Both at their limits: what they use is what they may, so that the rule would repeat any split it is given.
BLIND_FRAC = 0.95
# Both together: with less there is nothing to divide by.
IDLE_CPUS = 0.05
# Splits that may be named: a tenth of the CPU is what the I/O domain needs to be reached (ADR 0011).
WIDEST = math.log(9.0)


class PairLimits(msgspec.Struct, frozen=True):
    """What both domains may use.

    Attributes:
        io_cpus: By the I/O domain, CPUs, > 0.
        guest_cpus: By the guest, likewise.
        most_cpus: What each can use at all, I/O domain first: its number of vCPUs.
    """

    io_cpus: float
    guest_cpus: float
    most_cpus: tuple[float, float] = (math.inf, math.inf)

    def __post_init__(self) -> None:
        """Refuse limits that divide nothing; raises SpecError."""
        if not all(math.isfinite(cpus) and cpus > 0 for cpus in (self.io_cpus, self.guest_cpus)):
            raise SpecError("limits", f"{self.io_cpus:g} and {self.guest_cpus:g} CPUs cannot be divided anew")

    @property
    def total_cpus(self) -> float:
        """What they may use together, which no split changes."""
        return self.io_cpus + self.guest_cpus

    @property
    def log_ratio(self) -> float:
        """The split as ln(I/O domain / guest)."""
        return math.log(self.io_cpus / self.guest_cpus)

    def at(self, log_ratio: float) -> tuple[float, float]:
        """Return what both could use at another split of the same total, I/O domain first."""
        io_frac = io_share_of(log_ratio)
        io_cpus, guest_cpus = self.total_cpus * io_frac, self.total_cpus * (1 - io_frac)
        return min(io_cpus, self.most_cpus[0]), min(guest_cpus, self.most_cpus[1])


class PairUsage(msgspec.Struct, frozen=True):
    """What both domains used.

    Attributes:
        io_cpus: CPU time that the I/O domain received, CPUs, >= 0.
        guest_cpus: Likewise the guest.
        left_frac: Part of what both may use together that other machines and programs left, (0, 1]; 1 where it is not
            known, or where they left as much.
    """

    io_cpus: float
    guest_cpus: float
    left_frac: float = 1.0

    @property
    def together_cpus(self) -> float:
        """Of both."""
        return self.io_cpus + self.guest_cpus

    def of_allowed(self, allowed: PairLimits) -> tuple[float, float]:
        """Return how much of what it may use each domain used, I/O domain first."""
        io_cpus, guest_cpus = allowed.at(allowed.log_ratio)
        return self.io_cpus / (io_cpus * self.left_frac), self.guest_cpus / (guest_cpus * self.left_frac)


class TargetSplit(msgspec.Struct, frozen=True):
    """Where the rule points.

    Attributes:
        log_ratio: The split, ln(I/O domain / guest), within the range.
        cost_ratio: CPU of the I/O domain per CPU of the guest, for the same transactions.
        filled_frac: How full the pair was, or was taken to be, 0..1.
        used_frac: What each domain used of what it may, I/O domain first.
    """

    log_ratio: float
    cost_ratio: float
    filled_frac: float
    used_frac: tuple[float, float]

    @property
    def blind(self) -> bool:
        """True when both domains took all that they might: what they used tells only how they are limited."""
        return min(self.used_frac) > BLIND_FRAC

    @property
    def starved(self) -> bool:
        """True when a domain was at its limit: its need shows in full only after a move, and may look smaller then."""
        return max(self.used_frac) > AT_LIMIT_FRAC


def find_target_split(use: PairUsage, allowed: PairLimits, widest: float = WIDEST) -> TargetSplit | None:
    """Return where the rule points; None when next to nothing was used, or by one domain alone.

    Args:
        use: Means over a stretch in which the load was one.
        allowed: What the domains might use meanwhile.
        widest: How far from 1:1 a split may be, of ln(I/O domain / guest).
    """
    if use.together_cpus < IDLE_CPUS or min(use.io_cpus, use.guest_cpus) <= 0:
        return None
    used_frac = use.of_allowed(allowed)
    filled = min(1.0, use.together_cpus / allowed.total_cpus)
    if max(used_frac) > AT_LIMIT_FRAC:
        filled = max(filled, _STARVED_FILLED)
    ratio = use.io_cpus / use.guest_cpus
    root = math.sqrt(ratio)
    share = filled * ratio / (1 + ratio) + (1 - filled) * root / (1 + root)
    log_ratio = min(widest, max(-widest, math.log(share / (1 - share))))
    return TargetSplit(log_ratio, ratio, filled, used_frac)


def io_share_of(log_ratio: float) -> float:
    """Return the I/O domain's share of a split, in (0, 1)."""
    return 1 / (1 + math.exp(-log_ratio))


def rounded_split(log_ratio: float) -> Split:
    """Return the split with two significant digits, the smaller part 1."""
    far = float(f"{math.exp(abs(log_ratio)):.2g}")
    return split_between(far, 1.0) if log_ratio > 0 else split_between(1.0, far)


def log_ratio_of(split: Split) -> float:
    """Return a split as ln(I/O domain / guest)."""
    return math.log(split.io / split.guest)

"""Target split for the present load, from the CPU time that each domain used.

The CPU that a domain uses per transaction does not depend on the split. This is the utilisation law (Denning and Buzen,
The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10(3), 1978). So

    r = b_io / b_g

is the ratio of both domains' costs, and no throughput is needed. Kleinrock's capacity assignment (Communication Nets,
1964) first gives each station the CPU used. The rest is divided by the square root of use:

    q_i = b_i + (C - b_io - b_g) * sqrt(b_i) / (sqrt(b_io) + sqrt(b_g))

With sigma = (b_io + b_g) / C, the share of the CPU that is in use, the I/O domain's share is

    s = sigma * r / (1 + r)  +  (1 - sigma) * sqrt(r) / (1 + sqrt(r))

A saturated host is divided in proportion to use, an idle host by the square root of use. So a burst finds slack in both
domains. While one domain is saturated, the pair uses less than at other splits. The rule then assumes sigma to be at
least `_STARVED_FILLED`. CPU time is in CPUs (seconds per second) throughout.
"""

import math

import msgspec

from scheduler.errors import SpecError
from scheduler.model.split import Split, split_between
from scheduler.translation import _

# Above this share of the CPU allotted, a domain waits for its limit and not for work.
AT_LIMIT_FRAC = 0.9
# Smallest share of the total assumed to be in use while a domain is saturated.
_STARVED_FILLED = 0.8
# Above this share of both limits, use equals the limits, and the rule would repeat any present split.
BLIND_FRAC = 0.95
# CPU used by both together; below this, the ratio of use is meaningless.
IDLE_CPUS = 0.05
# Widest split: the I/O domain needs a tenth of the CPU to stay reachable (ADR 0011).
WIDEST = math.log(9.0)


class PairLimits(msgspec.Struct, frozen=True):
    """CPU allotted to both domains.

    Attributes:
        io_cpus: Limit of the I/O domain, CPUs, > 0.
        guest_cpus: Limit of the guest, CPUs, > 0.
        most_cpus: Number of vCPUs of each domain, I/O domain first; infinite when unknown.
    """

    io_cpus: float
    guest_cpus: float
    most_cpus: tuple[float, float] = (math.inf, math.inf)

    def __post_init__(self) -> None:
        """Raise SpecError for limits that are not finite and positive."""
        if not all(math.isfinite(cpus) and cpus > 0 for cpus in (self.io_cpus, self.guest_cpus)):
            raise SpecError(
                "limits",
                _("{io_cpus:g} and {guest_cpus:g} CPUs cannot be divided again").format(
                    io_cpus=self.io_cpus, guest_cpus=self.guest_cpus
                ),
            )

    @property
    def total_cpus(self) -> float:
        """Sum of both limits, CPUs; the same for every split."""
        return self.io_cpus + self.guest_cpus

    @property
    def log_ratio(self) -> float:
        """The split as ln(I/O domain / guest)."""
        return math.log(self.io_cpus / self.guest_cpus)

    def at(self, log_ratio: float) -> tuple[float, float]:
        """Return the CPUs usable by both domains at another split, I/O domain first.

        The split is ln(I/O domain / guest), and the total stays the same.
        """
        io_frac = io_share_of(log_ratio)
        io_cpus, guest_cpus = self.total_cpus * io_frac, self.total_cpus * (1 - io_frac)
        return min(io_cpus, self.most_cpus[0]), min(guest_cpus, self.most_cpus[1])


class PairUsage(msgspec.Struct, frozen=True):
    """CPU used by both domains.

    Attributes:
        io_cpus: CPU used by the I/O domain, CPUs, >= 0.
        guest_cpus: CPU used by the guest, CPUs, >= 0.
        left_frac: Share of the CPU allotted to both that other machines and programs left, in (0, 1]; 1 when it is not
            known, or when others took nothing of it.
    """

    io_cpus: float
    guest_cpus: float
    left_frac: float = 1.0

    @property
    def together_cpus(self) -> float:
        """CPU used by both domains together, CPUs."""
        return self.io_cpus + self.guest_cpus

    def of_allowed(self, allowed: PairLimits) -> tuple[float, float]:
        """Return the share of its CPU allotted that each domain used, I/O domain first."""
        io_cpus, guest_cpus = allowed.at(allowed.log_ratio)
        return self.io_cpus / (io_cpus * self.left_frac), self.guest_cpus / (guest_cpus * self.left_frac)


class TargetSplit(msgspec.Struct, frozen=True):
    """Split that the rule names for a load.

    Attributes:
        log_ratio: The split, ln(I/O domain / guest), within the range.
        cost_ratio: CPU of the I/O domain per CPU of the guest, for the same transactions.
        filled_frac: Share of the total CPU in use, measured or assumed, 0..1.
        used_frac: Share of the CPU allotted that each domain used, I/O domain first.
    """

    log_ratio: float
    cost_ratio: float
    filled_frac: float
    used_frac: tuple[float, float]

    @property
    def blind(self) -> bool:
        """True when both domains used all the CPU allotted, so their needs are unknown."""
        return min(self.used_frac) > BLIND_FRAC

    @property
    def starved(self) -> bool:
        """True when a domain is saturated.

        Its full need shows only after a move, and its measured need may be too small.
        """
        return max(self.used_frac) > AT_LIMIT_FRAC


def find_target_split(use: PairUsage, allowed: PairLimits, widest: float = WIDEST) -> TargetSplit | None:
    """Return the target split; None when a domain, or the pair, used next to no CPU.

    Args:
        use: CPU used by both domains, means over a time of one load.
        allowed: CPU allotted to both domains meanwhile.
        widest: Largest distance of the split from 1:1, in ln(I/O domain / guest), > 0.
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


def find_whole_cpus(use: PairUsage, log_ratio: float, cpus: int, vcpus: tuple[int, int]) -> int:
    """Return the number of whole CPUs of its own that the I/O domain should have.

    The target split, in CPUs, is rounded down or up: to the number at which the domain that lacks most CPU lacks least.

    Args:
        use: CPU used by both domains, > 0 each.
        log_ratio: Target split, ln(I/O domain / guest).
        cpus: Number of shared CPUs, >= 2.
        vcpus: Number of vCPUs of each domain, I/O domain first, >= 1.
    """
    exact = io_share_of(log_ratio) * cpus
    low, high = max(1, cpus - vcpus[1]), min(cpus - 1, vcpus[0])
    if low <= high:  # neither domain has CPUs that it cannot use
        exact = min(float(high), max(float(low), exact))

    def worst_reserve(number: int) -> float:
        return min(min(number, vcpus[0]) / use.io_cpus, min(cpus - number, vcpus[1]) / use.guest_cpus)

    around = {min(cpus - 1, max(1, number)) for number in (math.floor(exact), math.ceil(exact))}
    return max(sorted(around), key=worst_reserve)


def io_share_of(log_ratio: float) -> float:
    """Return the I/O domain's share of a split ln(I/O domain / guest), in (0, 1)."""
    return 1 / (1 + math.exp(-log_ratio))


def rounded_split(log_ratio: float) -> Split:
    """Return the split with two significant digits, the smaller side 1."""
    far = float(f"{math.exp(abs(log_ratio)):.2g}")
    return split_between(far, 1.0) if log_ratio > 0 else split_between(1.0, far)


def log_ratio_of(split: Split) -> float:
    """Return a split as ln(I/O domain / guest)."""
    return math.log(split.io / split.guest)

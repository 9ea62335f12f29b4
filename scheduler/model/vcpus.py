"""The guest's CPUs that are online: a parameter beside those of the scheduler, set and put back like them."""

from collections.abc import Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.model.sentence_texts import join_names
from scheduler.model.split import DomainId
from scheduler.model.study_kind import list_doublings

GUEST_VCPUS = DomainId("guest-vcpus")
"""Stands where a domain does (in reads, writes, undo records, documents) for the number of the guest's vCPUs."""

MOST_VCPUS = 128

_FEWEST = 2  # numbers that can be compared


class VcpuParams(msgspec.Struct, frozen=True, tag_field="dialect", tag="vcpus"):
    """How many CPUs the guest has: vCPUs online, or CPUs of its control group.

    Attributes:
        online: Their number, >= 1.
    """

    online: int

    @property
    def words(self) -> str:
        """The parameter as people read it."""
        return f"{self.online} vCPU{'' if self.online == 1 else 's'}"

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value, as people read them."""
        return {"vCPUs": str(self.online)}


class VcpuRange(msgspec.Struct, frozen=True):
    """How many vCPUs the guest of a host can be given while it runs.

    Attributes:
        as_found: How many it has; 0 where the host does not say.
        most: The most it can be given; 0 where their number cannot be changed.
        least: The fewest it can be left with.
        cpus: Physical CPUs in the order in which it gets them; empty where it is not pinned to any.
        why: Why it can be given no more, for people; may be empty.
        hint: What would do.
    """

    as_found: int = 0
    most: int = 0
    cpus: tuple[int, ...] = ()
    least: int = 1
    why: str = "DomTune cannot change the number of vCPUs on such a host"
    hint: str = "Take a host that can: local:, xl:, or libvirt with QEMU."

    @property
    def choices(self) -> tuple[int, ...]:
        """The numbers to try: the fewest, each twice the one before, and the most."""
        return list_doublings(self.least, self.most) if self.most else ()

    @property
    def lacking(self) -> str:
        """Why no two numbers can be compared; empty where they can."""
        if self.most - self.least >= _FEWEST - 1:
            return ""
        return f"the guest has {self.most} at most: {self.why}" if self.most else self.why

    def kept(self, asked: Sequence[int]) -> tuple[int, ...]:
        """Return those of the numbers that the guest can have; raises SpecError where fewer than two are left."""
        kept = tuple(number for number in asked if self.least <= number <= self.most)
        if len(kept) < _FEWEST:
            has = f"only {self.least}..{self.most} ({self.why})"
            problem = f"of {join_names(map(str, asked))} the guest can have {len(kept) or 'none'}, {has}"
            numbers = ", ".join(map(str, self.choices))
            raise SpecError("vcpus", problem, hint=f"Take {numbers}. {self.hint}".strip())
        return kept

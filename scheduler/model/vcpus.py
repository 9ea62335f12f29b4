"""Number of the guest's online CPUs, set and restored like scheduler parameters."""

from collections.abc import Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.model.number_texts import format_vcpus
from scheduler.model.sentence_texts import join_names
from scheduler.model.split import DomainId
from scheduler.model.study_kind import list_doublings
from scheduler.translation import _

GUEST_VCPUS = DomainId("guest-vcpus")
"""Pseudo domain for the number of the guest's vCPUs, in reads, writes, undo records and documents."""

MOST_VCPUS = 128

_FEWEST = 2  # fewest numbers that can be compared


class VcpuParams(msgspec.Struct, frozen=True, tag_field="dialect", tag="vcpus"):
    """Number of the guest's CPUs: vCPUs online, or CPUs of its control group.

    Attributes:
        online: The number, >= 1.
    """

    online: int

    @property
    def words(self) -> str:
        """The parameter as text for people."""
        return format_vcpus(self.online)

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value as text for people."""
        return {"vCPUs": str(self.online)}


class VcpuRange(msgspec.Struct, frozen=True):
    """Numbers of vCPUs that the guest of a host can have while it runs.

    Attributes:
        as_found: Original number; 0 where the host does not report it.
        most: Largest number; 0 where the number cannot be changed.
        least: Smallest number.
        cpus: Physical CPUs in the order in which the guest gets them; empty where it is not pinned.
        why: Reason for the largest number, for people; may be empty.
        hint: Hosts without that limit.
    """

    as_found: int = 0
    most: int = 0
    cpus: tuple[int, ...] = ()
    least: int = 1
    why: str = _("DomTune cannot change the number of vCPUs on such a host")
    hint: str = _("Take a host that can: local:, xl:, or libvirt with QEMU.")

    @property
    def choices(self) -> tuple[int, ...]:
        """Numbers to measure: the smallest, each twice the one before, and the largest."""
        return list_doublings(self.least, self.most) if self.most else ()

    @property
    def lacking(self) -> str:
        """Reason why no two numbers can be compared; empty where they can."""
        if self.most - self.least >= _FEWEST - 1:
            return ""
        return _("the guest has {most} at most: {why}").format(most=self.most, why=self.why) if self.most else self.why

    def kept(self, asked: Sequence[int]) -> tuple[int, ...]:
        """Return those of the numbers that the guest can have.

        Raises:
            SpecError: Fewer than two are left.
        """
        kept = tuple(number for number in asked if self.least <= number <= self.most)
        if len(kept) < _FEWEST:
            has = _("only {least}..{most} ({why})").format(least=self.least, most=self.most, why=self.why)
            problem = _("of {asked} the guest can have {count}, {has}").format(
                asked=join_names(map(str, asked)), count=len(kept) or "none", has=has
            )
            numbers = ", ".join(map(str, self.choices))
            raise SpecError(
                "vcpus", problem, hint=_("Take {numbers}. {hint}").format(numbers=numbers, hint=self.hint).strip()
            )
        return kept

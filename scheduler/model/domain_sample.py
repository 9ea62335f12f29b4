"""Usage of one domain in one second."""

import msgspec


class DomainSample(msgspec.Struct, frozen=True):
    """Usage of one domain in one second; fractions are of one CPU.

    Attributes:
        user_frac: CPU in user mode.
        system_frac: CPU in kernel mode.
        memory_bytes: Memory in use.
        in_bytes: Bytes received in that second.
        out_bytes: Bytes sent in that second.
        throttled_frac: Fraction of the second in which its quota throttled the domain, 0..1.
        allotted_frac: CPU allotted, as a share of the shared CPU; None when nothing is configured.
    """

    user_frac: float
    system_frac: float
    memory_bytes: int
    in_bytes: float
    out_bytes: float
    throttled_frac: float = 0.0
    allotted_frac: float | None = None

    @property
    def used_frac(self) -> float:
        """CPU used, as a fraction of one CPU."""
        return self.user_frac + self.system_frac

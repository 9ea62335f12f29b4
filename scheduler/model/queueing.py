"""What a queueing model of the host says of a sweep, beside what was measured (docs/explanation/queueing-model.md)."""

from typing import Annotated

import msgspec

from scheduler.model.bottleneck import Bottleneck
from scheduler.model.setting import Setting, label_of

NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class ModelPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One split as the model sees it.

    Attributes:
        setting: The setting; None for the original settings.
        predicted_tps: Throughput, tuples per second.
        bottleneck: What would raise that throughput most if it were faster: io, guest, both (also the CPU that weights
            lend between them) or client, which stands for all that is not CPU.
    """

    setting: Setting | None
    predicted_tps: NotNegative
    bottleneck: Bottleneck

    @property
    def label(self) -> str:
        """Label of the setting, `baseline` for the original settings."""
        return label_of(self.setting)


class QueueModel(msgspec.Struct, frozen=True, kw_only=True):
    """A closed queueing network fitted to the points of one load; it explains, and no answer is made from it.

    Attributes:
        load: Load kind.
        users: Closed-loop users, >= 1.
        io_ms: CPU of the I/O domain per tuple, milliseconds; likewise guest_ms.
        wait_ms: Time per tuple that is not CPU of either domain: clients, network, disk.
        io_fixed_frac: CPU that the I/O domain loses while it has work, fraction of one CPU.
        points: One per split with a measured throughput, in the order of the results; empty when nothing was fitted.
        deviation_frac: Typical deviation from the measured points (root mean square of ln(model / measured)).
        parts: Splits where the model is off by more than 10 % and lies outside the measurement's 95 % interval.
        sentences: How well they agree and where they part, with figures.
        reason: Why nothing was fitted; empty when it was.
    """

    load: str
    users: int
    io_ms: NotNegative = 0.0
    guest_ms: NotNegative = 0.0
    wait_ms: NotNegative = 0.0
    io_fixed_frac: NotNegative = 0.0
    points: tuple[ModelPoint, ...] = ()
    deviation_frac: NotNegative = 0.0
    parts: tuple[Setting | None, ...] = ()
    sentences: tuple[str, ...] = ()
    reason: str = ""

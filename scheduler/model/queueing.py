"""Queueing model of a load: predicted rates next to the measured ones.

See docs/explanation/queueing-model.md.
"""

from typing import Annotated

import msgspec

from scheduler.model.bottleneck import Bottleneck
from scheduler.model.load_name import LoadName
from scheduler.model.setting import label_of
from scheduler.model.studies import Setting

NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class ModelPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Prediction of the model for one split.

    Attributes:
        setting: The setting; None for the original settings.
        predicted_tps: Predicted throughput, operations per second.
        bottleneck: Part that would raise the throughput most if it were faster: io, guest, both (also the CPU that
            weights lend between them) or client, which means everything that is not CPU.
    """

    setting: Setting | None
    predicted_tps: NotNegative
    bottleneck: Bottleneck

    @property
    def label(self) -> str:
        """Label of the setting, `baseline` for the original settings."""
        return label_of(self.setting)


class QueueModel(msgspec.Struct, frozen=True, kw_only=True):
    """Closed queueing network fitted to the points of one load.

    The model explains results; no answer is made from it.

    Attributes:
        load: Load kind.
        users: Closed-loop users, >= 1.
        io_ms: CPU of the I/O domain per operation, milliseconds.
        guest_ms: CPU of the guest per operation, milliseconds.
        wait_ms: Time per operation that is not CPU of either domain, milliseconds: clients, network, disk.
        io_fixed_frac: CPU that the I/O domain loses while it has work, fraction of one CPU.
        points: One per split with a measured throughput, in the order of the results; empty when nothing was fitted.
        deviation_frac: Typical deviation from the measured points (root mean square of ln(model / measured)).
        parts: Splits where the model is off by more than 10 % and outside the measurement's 95 % interval.
        sentences: Agreement and differences of model and measurement, with figures.
        reason: Reason why nothing was fitted; empty when a model was fitted.
    """

    load: LoadName
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

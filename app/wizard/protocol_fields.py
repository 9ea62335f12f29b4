"""What the page of the protocol has, as values."""

from app.wizard.form_fields import WINDOWS, WindowFields
from app.wizard.input_parsing import FormReader
from scheduler.model.protocols import PROTOCOLS, SweepProtocol
from scheduler.model.spec import Mode
from scheduler.shares.share_model import ShareModel

_USUAL = PROTOCOLS["adaptive"]


def takes_period(model: ShareModel | None, mode: Mode) -> bool:
    """Return whether a period has to be asked for; while the scheduler is unknown it may have one."""
    return mode is Mode.PARTITION and (model is None or model.takes_period)


def read_protocol(name: str, fields: WindowFields, reader: FormReader, *, refines: bool) -> SweepProtocol:
    """Return the protocol of that name with the windows that were typed.

    Args:
        name: Which one.
        fields: What was typed for it.
        reader: Takes what is wrong with that.
        refines: Look between the splits, where the protocol decides.
    """
    standard = PROTOCOLS.get(name, _USUAL)
    read = fields.read(standard, reader)
    windows = (getattr(read, each) for each in WINDOWS)
    return SweepProtocol(name, *windows, refine=refines and standard.adapts)

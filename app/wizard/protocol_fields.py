"""What the page of the protocol has, as values."""

from app.wizard.fields import WINDOWS, WindowFields
from app.wizard.reading import Reader
from scheduler.model.protocols import PROTOCOLS, Protocol
from scheduler.model.spec import Mode
from scheduler.shares.base import ShareModel

_USUAL = PROTOCOLS["adaptive"]


def takes_period(model: ShareModel | None, mode: Mode) -> bool:
    """Return whether a period has to be asked for; while the scheduler is unknown it may have one."""
    return mode is Mode.PARTITION and (model is None or model.takes_period)


def read_protocol(name: str, fields: WindowFields, reader: Reader, *, refines: bool) -> Protocol:
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
    return Protocol(name, *windows, refine=refines and standard.adapts)

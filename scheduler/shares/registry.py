"""Name of a scheduler to its share model."""

from scheduler.errors import HostNotUsable
from scheduler.shares.base import ShareModel
from scheduler.shares.cgroup import MODELS

_MODELS: dict[str, ShareModel] = {model.name: model for model in MODELS}


def model_for(name: str) -> ShareModel:
    """Return the share model of a host's scheduler; raises HostNotUsable for one that DomTune cannot translate for."""
    try:
        return _MODELS[name]
    except KeyError:
        known = ", ".join(sorted(_MODELS))
        raise HostNotUsable(f"no share model for the scheduler {name!r}", hint=f"Known: {known}.") from None

"""Narrowing: each host and share model speaks one dialect of parameters and refuses the others by name."""

from typing import TypeVar

from scheduler.errors import ParameterRefused
from scheduler.model.params import SchedParams

P = TypeVar("P", bound=SchedParams)


def narrowed(params: SchedParams, dialect: type[P], what: str) -> P:
    """Return the parameters as `dialect`; raises ParameterRefused that names `what` and both dialects."""
    if isinstance(params, dialect):
        return params
    raise ParameterRefused(
        f"{what} takes {_name(dialect)}, not {_name(type(params))} ({params.words})",
        hint="These parameters belong to another kind of host; encode the split with this host's own scheduler.",
    )


def _name(dialect: type[SchedParams]) -> str:
    return f"{dialect.__struct_config__.tag} parameters"

"""Narrowing of scheduler parameters to one dialect.

Each host and share model uses one dialect and refuses the others by name.
"""

from typing import TypeVar

from scheduler.errors import ParameterRefused
from scheduler.model.scheduler_params import SchedParams

P = TypeVar("P", bound=SchedParams)


def narrow_params(params: SchedParams, dialect: type[P], what: str) -> P:
    """Return the parameters in their own dialect.

    Args:
        params: The parameters.
        dialect: The required dialect.
        what: Host or share model, for the error.

    Raises:
        ParameterRefused: The parameters have another dialect.
    """
    if isinstance(params, dialect):
        return params
    raise ParameterRefused(
        f"{what} takes {_dialect_name(dialect)}, not {_dialect_name(type(params))} ({params.words})",
        hint="These parameters belong to another kind of host; encode the split with this host's own scheduler.",
    )


def _dialect_name(dialect: type[SchedParams]) -> str:
    return f"{dialect.__struct_config__.tag} parameters"

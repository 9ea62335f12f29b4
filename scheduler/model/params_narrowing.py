"""Narrowing of scheduler parameters to one dialect.

Each host and share model uses one dialect and refuses the others by name.
"""

from typing import TypeVar

from scheduler.errors import ParameterRefused
from scheduler.model.scheduler_params import SchedParams
from scheduler.translation import _

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
        _("{what} takes {dialect}, not {dialect_2} ({words})").format(
            what=what, dialect=_dialect_name(dialect), dialect_2=_dialect_name(type(params)), words=params.words
        ),
        hint=_("These parameters belong to another kind of host; encode the split with this host's own scheduler."),
    )


def _dialect_name(dialect: type[SchedParams]) -> str:
    return _("{tag} parameters").format(tag=dialect.__struct_config__.tag)

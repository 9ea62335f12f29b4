"""Reading of a machine's file, with errors that name the place."""

import msgspec

from scheduler.errors import SpecError
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.text_decoding import decode_text
from scheduler.sim.machine import MACHINE_SCHEMA, Machine, QueueMachine, SurfaceMachine
from scheduler.translation import _

MOST_BYTES = 1 << 20  # no real description of a machine is longer


def parse_machine(body: bytes, name: str) -> Machine:
    """Read a machine; raises SpecError that names the file and the place in it.

    Args:
        body: The file's content, JSON.
        name: Name of the file in errors.
    """
    if len(body) > MOST_BYTES:
        raise SpecError(
            "host",
            _("{name} has {count} bytes, more than {most_bytes}").format(
                name=name, count=len(body), most_bytes=MOST_BYTES
            ),
            hint=_("Is it a file that describes a machine?"),
        )
    text = decode_text(body, name)
    try:
        _check_schema(text)
        return decode_bounded(_MACHINES, text)
    except SpecError as error:
        raise SpecError(f"{name}: {error.field}", error.problem, hint=error.hint) from error
    except msgspec.DecodeError as error:
        cause = error.__cause__
        if isinstance(cause, SpecError):
            raise SpecError(f"{name}: {cause.field}", cause.problem, hint=cause.hint) from error
        hint = _(
            "NaN and Infinity are not JSON. Every rate is a number above 0. See 'The simulated host' in the manual."
        )
        raise SpecError(
            "host", _("{name} does not describe a machine: {error}").format(name=name, error=error), hint=hint
        ) from error


class _SchemaStamp(msgspec.Struct, frozen=True):
    """Field that every version has."""

    schema: str = ""


_STAMPS = msgspec.json.Decoder(_SchemaStamp)
_MACHINES = msgspec.json.Decoder(SurfaceMachine | QueueMachine)


def _check_schema(body: str) -> None:
    found = decode_bounded(_STAMPS, body).schema
    if found != MACHINE_SCHEMA:
        raise SpecError(
            "schema",
            _("is {found!r}, not {machine_schema!r}").format(found=found, machine_schema=MACHINE_SCHEMA),
            hint=_("Is it a file that describes a machine?"),
        )

"""Results in a JSON file, as `domtune export --to json` writes them."""

import math
from pathlib import Path

import msgspec

from scheduler.errors import SchedulerError, StoreError
from scheduler.files import UnfitFile, read_regular
from scheduler.model.bounded_json import MOST_LINE_BYTES, decode_bounded
from scheduler.model.codec import make_decoder
from scheduler.model.results import RESULTS_SCHEMA, MeasuredPoint, Results
from scheduler.translation import _

_SCHEMA_NAME = RESULTS_SCHEMA.partition("/")[0]
_RESULTS = make_decoder(Results)
_SCHEMAS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LAST_UNIX_S = 253_000_000_000.0  # in the year 9987: calendars end with 9999


def read_results_file(path: Path) -> Results:
    """Read results; they are shown, and never become a run of the store.

    Args:
        path: The file.

    Raises:
        StoreError: The file cannot be read, is too large, from a newer version, or holds no results.
    """
    try:
        body = read_regular(path.resolve(), MOST_LINE_BYTES)
    except UnfitFile as error:
        raise _refuse(path, error.strerror or _("it is no regular file")) from error
    except OSError as error:
        raise _refuse(path, _("it cannot be read: {strerror}").format(strerror=error.strerror or error)) from error
    _check_schema(path, body)
    try:
        results = decode_bounded(_RESULTS, body)
    except (msgspec.MsgspecError, SchedulerError) as error:
        raise _refuse(path, _("its results cannot be read: {error}").format(error=error)) from error
    if not all(map(_is_possible, results.points)):
        raise _refuse(path, _("a rate in it is negative, or outside its own interval"))
    return msgspec.structs.replace(results, started_unix_s=min(max(results.started_unix_s, 0.0), _LAST_UNIX_S))


def _check_schema(path: Path, body: bytes) -> None:
    """Refuse JSON that is no object with the schema of results."""
    try:
        found = decode_bounded(_SCHEMAS, body).get("schema", msgspec.Raw(b'""'))
        schema = msgspec.json.decode(found, type=str)
    except msgspec.MsgspecError as error:
        raise _refuse(path, _("it is no JSON object with results: {error}").format(error=error)) from error
    name, _unused, number = schema.partition("/")
    if name != _SCHEMA_NAME:
        raise _refuse(path, _("it holds no results of DomTune"), _("'domtune export RUN --to file' writes a run file."))
    if schema != RESULTS_SCHEMA and number.isascii() and number.isdigit():
        raise _refuse(
            path,
            _("a newer DomTune wrote it ({schema}, this one reads {results_schema})").format(
                schema=schema[:40], results_schema=RESULTS_SCHEMA
            ),
            _("Update DomTune."),
        )


def _is_possible(point: MeasuredPoint) -> bool:
    """Return True when a rate is positive and within its interval, or unknown."""
    mean_tps, ends = point.mean_tps, point.ci95_tps
    if mean_tps is None or not math.isfinite(mean_tps) or mean_tps < 0:
        return mean_tps is None
    return ends is None or (ends[0] <= mean_tps <= ends[1] and math.isfinite(ends[1] - ends[0]))


def _refuse(path: Path, why: str, hint: str = _("Is this an export of DomTune?")) -> StoreError:
    return StoreError(_("{path} was not opened: {why}").format(path=path.name, why=why), hint=hint)

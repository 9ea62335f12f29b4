"""Draft of a sweep that was not started, stored on disk without passwords.

The draft has only the user's input. The host's properties are read again at the next start.
"""

import copy
import itertools
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from app.wizard.sweep_form import SweepForm
from scheduler import places
from scheduler.files import make_private_folder, open_regular, read_regular
from scheduler.model.studies import STUDIES
from scheduler.model.urls import redact_url
from scheduler.shares.share_model import HostMachine
from scheduler.translation import _

_MOST_BYTES = 1_000_000
_KNOWN_OF_HOST = ("scheduler", "machine", "facts")

_number = itertools.count()


class StoredDraft(msgspec.Struct, frozen=True):
    """Form as stored on disk.

    Attributes:
        form: The user's input.
        kept_unix_s: Time of the last write, seconds since 1970.
    """

    form: dict[str, Any]
    kept_unix_s: float


def draft_path() -> Path:
    """Return the path of the draft's file."""
    return places.state_dir() / "draft.json"


def copy_typed(form: SweepForm) -> SweepForm:
    """Return a copy of the user's input, without the host's properties."""
    return replace(copy.deepcopy(form), scheduler="", machine=HostMachine(), facts=None)


def write_draft(kept: SweepForm, now_unix_s: float | None = None) -> None:
    """Write the user's input to disk, without passwords.

    Args:
        kept: Form to write.
        now_unix_s: Time to record, seconds since 1970; None for now.

    Raises:
        OSError: The file cannot be written.
    """
    body = msgspec.to_builtins(_without_passwords(kept))
    for name in _KNOWN_OF_HOST:
        del body[name]
    draft = StoredDraft(body, time.time() if now_unix_s is None else now_unix_s)
    make_private_folder(draft_path().parent)
    fresh = draft_path().with_suffix(
        f".{next(_number)}.tmp"
    )  # the closing window may write while a background job writes
    fresh.unlink(missing_ok=True)
    with os.fdopen(open_regular(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(msgspec.json.encode(draft))
    fresh.replace(draft_path())


def read_draft() -> tuple[SweepForm, float] | None:
    """Return the stored form and its time; None without a readable draft."""
    try:
        draft = msgspec.json.decode(read_regular(draft_path(), _MOST_BYTES, ours=True), type=StoredDraft)
        return _to_form(draft.form), draft.kept_unix_s
    except (OSError, ValueError, TypeError, LookupError, RecursionError, msgspec.MsgspecError):
        return None


def remove_draft() -> None:
    """Remove the draft.

    Raises:
        OSError: The file cannot be removed.
    """
    draft_path().unlink(missing_ok=True)


def _to_form(body: dict[str, Any]) -> SweepForm:
    form = msgspec.convert({**msgspec.to_builtins(SweepForm()), **body}, SweepForm)
    known = SweepForm()  # a draft of another version may lack a kind or a protocol, or have a removed one
    off = {kind: load | {"on": "no"} for kind, load in known.loads.items()}
    form.loads = off | {kind: off.get(kind, {}) | load for kind, load in form.loads.items()}
    form.texts = known.texts | form.texts
    form.windows = {name: {**window, **form.windows.get(name, {})} for name, window in known.windows.items()}
    if (
        not {form.study, *form.aside} <= STUDIES.keys()
        or form.protocol not in known.windows
        or any(kind not in known.loads for kind in form.loads)
    ):
        raise ValueError(_("of another version"))
    form.to_spec()  # raises ValueError for an unknown choice
    return form


def _without_passwords(form: SweepForm) -> SweepForm:
    """Return a copy of the form without passwords, including those in URLs."""
    bare = copy_typed(form)
    bare.host = redact_url(bare.host)
    bare.texts |= {path: redact_url(bare.texts[path]) for path in ("base", "second_database", "clients.scheduler")}
    bare.passwords = {}
    for load in bare.loads.values():
        load["database"] = redact_url(load["database"])
    return bare


def is_same_input(one: SweepForm, other: SweepForm) -> bool:
    """Return True if two forms have the same user input.

    Args:
        one: First form.
        other: Second form.
    """
    return copy_typed(one) == copy_typed(other)

"""Format of run files (`.domtune`): a zip archive of one run, read within limits.

Members are `manifest.json`, `documents.jsonl`, `shown.json` and, for a sweep, `plan.toml`. Nothing is extracted to a
path of the archive. Checksums find damage; they are no signature.
"""

import hashlib
import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO

import msgspec

from scheduler.errors import SpecError, StoreError
from scheduler.files import UnfitFile, open_regular
from scheduler.model.bounded_json import MOST_LINE_BYTES, decode_bounded
from scheduler.model.codec import decode_document, encode_json
from scheduler.model.documents import Document, RunStarted, RunStopped
from scheduler.model.observation_documents import ObservationStarted
from scheduler.model.plan_file import write_plan
from scheduler.model.run_labels import RunLabels
from scheduler.translation import _

FORMAT = 1
"""Format of the file. A newer one is refused."""

MOST_FILE_BYTES = 64 << 20
"""Largest run file, bytes."""

MOST_UNPACKED_BYTES = 256 << 20
"""Largest sum of all unpacked members, bytes; a sweep of three days with samples of each second."""

_MANIFEST, _DOCUMENTS, _SHOWN, _PLAN = "manifest.json", "documents.jsonl", "shown.json", "plan.toml"
_NAMES = frozenset({_MANIFEST, _DOCUMENTS, _SHOWN, _PLAN})
_MOST_SMALL_BYTES = 1 << 20  # of every member but the documents
_MOST_RATIO = 400  # unpacked to packed; samples of a quiet host reach about 40
_RATIO_FROM_BYTES = 1 << 20  # a short member may have any ratio
_END = struct.Struct("<4sHHHHIIH")  # end of the central directory (APPNOTE.TXT 4.3.16)
_END_SIGNATURE, _ZIP64_SIGNATURE, _ZIP64_BYTES = b"PK\x05\x06", b"PK\x06\x07", 20
_MOST_DIRECTORY_BYTES = 4096  # ours has four entries of about 60 bytes
_ENCRYPTED = 0x1
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_MOST_TEXT = 255
_MOST_WEIGHTS = 64
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error)
_NOT_OURS = _("DomTune writes no such file.")
_AGAIN = _("Ask for the file again, and copy it as a binary file.")


class RunManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Table of contents of a run file.

    Attributes:
        format: Format of the file, >= 1.
        domtune: Version of the program that wrote the file.
        run_id: Id of the run.
        created_unix_s: When the file was written, seconds since 1970.
        computer: Name of the computer that wrote the file.
        sha256: Name of every other member to its SHA-256, in hexadecimal digits.
    """

    format: int
    domtune: str = ""
    run_id: str
    created_unix_s: float
    computer: str = ""
    sha256: dict[str, str]


class _ManifestFormat(msgspec.Struct):
    """The one key that manifests of every version have."""

    format: int


class ShownRun(msgspec.Struct, frozen=True, kw_only=True):
    """The person's own view of a run, apart from what was planned and measured.

    Attributes:
        labels: Name, tags and note.
        planned_weights: Load kind to its weight in the plan, 0..1; empty unless the person chose others.
        shown_weights: Load kind to its weight as shown at the export, 0..1; empty like `planned_weights`.
    """

    labels: RunLabels = RunLabels()
    planned_weights: dict[str, float] = {}
    shown_weights: dict[str, float] = {}


class RunFile(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a run file.

    Attributes:
        manifest: Its table of contents.
        documents: All documents of the run, in their order.
        shown: The person's own view of the run.
    """

    manifest: RunManifest
    documents: tuple[Document, ...]
    shown: ShownRun

    @property
    def digest(self) -> str:
        """SHA-256 of the documents, to distinguish two contents of one run."""
        return documents_digest(self.documents)


_FORMATS = msgspec.json.Decoder(_ManifestFormat)
_MANIFESTS = msgspec.json.Decoder(RunManifest)
_SHOWN_RUNS = msgspec.json.Decoder(ShownRun)


def documents_digest(documents: Iterable[Document]) -> str:
    """Return the SHA-256 of documents as JSON lines, in hexadecimal digits."""
    found = hashlib.sha256()
    for document in documents:
        found.update(_document_line(document))
    return found.hexdigest()


def write_run_file(path: Path, run: RunFile) -> Path:
    """Write a run file; `manifest.sha256` is filled in here.

    Args:
        path: The file, which must not exist.
        run: The content.

    Raises:
        StoreError: The run is larger than a run file may be.
        OSError: The file cannot be written.
    """
    first = run.documents[0]
    members = {_DOCUMENTS: b"".join(map(_document_line, run.documents)), _SHOWN: encode_json(run.shown)}
    if isinstance(first, RunStarted):
        members[_PLAN] = write_plan(first.spec).encode()
    if sum(map(len, members.values())) > MOST_UNPACKED_BYTES:
        text = _("run {run_id} is larger than {most_unpacked_bytes} MiB, the limit of run files").format(
            run_id=run.manifest.run_id, most_unpacked_bytes=MOST_UNPACKED_BYTES >> 20
        )
        raise StoreError(text, hint=_("Export its report or its results as JSON."))
    checks = {name: hashlib.sha256(body).hexdigest() for name, body in members.items()}
    manifest = msgspec.structs.replace(run.manifest, sha256=checks)
    with (
        os.fdopen(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, body in {_MANIFEST: encode_json(manifest), **members}.items():
            archive.writestr(name, body)
    return path


def read_run_file(path: Path) -> RunFile:
    """Read a run file and check all of it.

    Args:
        path: The file.

    Raises:
        StoreError: The file cannot be read, is damaged, too large, from a newer version, or no run file.
    """
    try:
        with os.fdopen(open_regular(path, follow=True), "rb") as file:
            _check_ends(path, file)
            with zipfile.ZipFile(file) as archive:
                _check_members(path, archive)
                return _read_members(path, archive)
    except UnfitFile as error:
        raise _refuse(path, error.strerror or _("it is no regular file"), _("Name a file.")) from error
    except OSError as error:
        raise _refuse(
            path,
            _("it cannot be read: {strerror}").format(strerror=error.strerror or error),
            _("Check its path and its rights."),
        ) from error
    except _BAD_ZIP as error:
        raise _refuse(path, _("it is damaged: {error}").format(error=error), _AGAIN) from error


def _document_line(document: Document) -> bytes:
    return encode_json(document) + b"\n"


def _refuse(path: Path, why: str, hint: str) -> StoreError:
    return StoreError(_("{path} was not opened: {why}").format(path=path.name, why=why), hint=hint)


def _check_ends(path: Path, file: BinaryIO) -> None:
    """Check size and central directory before the standard library reads them."""
    size = file.seek(0, io.SEEK_END)
    if size > MOST_FILE_BYTES:
        text = _("it has {size} MiB; a run file has at most {most_file_bytes} MiB").format(
            size=size >> 20, most_file_bytes=MOST_FILE_BYTES >> 20
        )
        raise _refuse(path, text, _("Is this a run file?"))
    file.seek(0)
    if file.read(4) != b"PK\x03\x04":
        raise _refuse(
            path, _("it is no run file"), _("Run files end in .domtune, and 'domtune export --to file' writes them.")
        )
    file.seek(max(0, size - _END.size - _ZIP64_BYTES))
    tail = file.read()
    signature, *_unused, entries, directory_bytes, _unused, _unused = _END.unpack(
        tail[-_END.size :].rjust(_END.size, b"\0")
    )
    if signature != _END_SIGNATURE or tail[:4] == _ZIP64_SIGNATURE:
        raise _refuse(path, _("its end is missing: the file was truncated or changed"), _AGAIN)
    if entries > len(_NAMES) or directory_bytes > _MOST_DIRECTORY_BYTES:
        raise _refuse(
            path,
            _("it has {entries} parts; a run file has at most {count}").format(entries=entries, count=len(_NAMES)),
            _("Is this a run file?"),
        )
    file.seek(0)


def _check_members(path: Path, archive: zipfile.ZipFile) -> None:
    """Check names, sizes and kinds before anything is unpacked."""
    parts = archive.infolist()
    names = [part.filename for part in parts]
    if not _NAMES.issuperset(names) or len(set(names)) < len(names):
        odd = next((name for name in names if name not in _NAMES), _("a name twice"))
        raise _refuse(
            path, _("it has a part that no run file has: {odd!a}").format(odd=odd[:80]), _("Is this a run file?")
        )
    if not {_MANIFEST, _DOCUMENTS, _SHOWN} <= set(names):
        raise _refuse(path, _("a part of it is missing"), _AGAIN)
    for part in parts:
        most = MOST_UNPACKED_BYTES if part.filename == _DOCUMENTS else _MOST_SMALL_BYTES
        ratio = part.file_size / max(1, part.compress_size)
        if part.file_size > most or (part.file_size > _RATIO_FROM_BYTES and ratio > _MOST_RATIO):
            text = _("{filename} would unpack to {file_size} MiB, {ratio:.0f} times its packed size").format(
                filename=part.filename, file_size=part.file_size >> 20, ratio=ratio
            )
            raise _refuse(path, text, _NOT_OURS)
        if part.flag_bits & _ENCRYPTED or part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _refuse(
                path, _("{filename} is encrypted or packed in another way").format(filename=part.filename), _NOT_OURS
            )


def _read_members(path: Path, archive: zipfile.ZipFile) -> RunFile:
    manifest = _read_manifest(path, archive)
    checks = {name: hashlib.sha256() for name in archive.namelist() if name != _MANIFEST}
    if set(manifest.sha256) != set(checks):
        raise _refuse(path, _("its parts are not those of its manifest: the file was changed"), _AGAIN)
    try:
        with archive.open(_DOCUMENTS) as member:
            documents = tuple(_read_documents(member, checks[_DOCUMENTS].update))
    except (msgspec.MsgspecError, SpecError) as error:
        raise _refuse(path, _("a document in it cannot be read: {error}").format(error=error), _AGAIN) from error
    bodies: dict[str, bytes] = {}
    for name in checks.keys() - {_DOCUMENTS}:
        bodies[name] = _read_small(archive, name)
        checks[name].update(bodies[name])
    changed = [name for name, found in checks.items() if found.hexdigest() != manifest.sha256[name]]
    if changed:
        raise _refuse(
            path,
            _("the checksum of {changed} is wrong: the file was changed").format(changed=sorted(changed)[0]),
            _AGAIN,
        )
    _check_documents(path, manifest.run_id, documents)
    return RunFile(manifest=manifest, documents=documents, shown=_read_shown(path, bodies[_SHOWN]))


def _read_documents(member: IO[bytes], add_to_check: Callable[[bytes], None]) -> Iterator[Document]:
    """Yield the documents, and add their lines to the checksum."""
    while line := member.readline(MOST_LINE_BYTES + 1):
        add_to_check(line)
        yield decode_document(line.removesuffix(b"\n"))


def _read_small(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as member:
        return member.read(_MOST_SMALL_BYTES)


def _read_manifest(path: Path, archive: zipfile.ZipFile) -> RunManifest:
    body = _read_small(archive, _MANIFEST)
    try:
        found = decode_bounded(_FORMATS, body).format
        if found > FORMAT:
            text = _("a newer DomTune wrote it (format {found}, this one reads {format})").format(
                found=found, format=FORMAT
            )
            raise _refuse(path, text, _("Update DomTune, or ask for the results as JSON."))
        manifest = decode_bounded(_MANIFESTS, body)
    except msgspec.MsgspecError as error:
        raise _refuse(path, _("its manifest cannot be read: {error}").format(error=error), _AGAIN) from error
    if manifest.format < 1 or not _RUN_ID.fullmatch(manifest.run_id):
        raise _refuse(path, _("{run_id!a} is no id of a run").format(run_id=manifest.run_id[:80]), _NOT_OURS)
    if max(len(manifest.computer), len(manifest.domtune)) > _MOST_TEXT:
        raise _refuse(path, _("a name in its manifest is too long"), _NOT_OURS)
    return manifest


def _read_shown(path: Path, body: bytes) -> ShownRun:
    try:
        shown = decode_bounded(_SHOWN_RUNS, body)
    except (msgspec.MsgspecError, SpecError) as error:
        raise _refuse(path, _("its names cannot be read: {error}").format(error=error), _AGAIN) from error
    for weights in (shown.planned_weights, shown.shown_weights):
        long = any(len(name) > _MOST_TEXT for name in weights)
        if len(weights) > _MOST_WEIGHTS or long or not all(0.0 <= weight <= 1.0 for weight in weights.values()):
            raise _refuse(path, _("its weights are not between 0 and 1"), _NOT_OURS)
    return shown


def _check_documents(path: Path, run_id: str, documents: tuple[Document, ...]) -> None:
    """Check that the documents are the named run from its start to its end."""
    starts = [isinstance(document, RunStarted | ObservationStarted) for document in documents]
    if not documents or not starts[0] or sum(starts) != 1:
        raise _refuse(path, _("its documents are not those of one run"), _NOT_OURS)
    if not any(isinstance(document, RunStopped) for document in documents):
        raise _refuse(path, _("its run has no end"), _("Export the run again after its end."))
    first = documents[0]
    if isinstance(first, RunStarted) and first.run_id != run_id:
        raise _refuse(
            path,
            _("its manifest names run {run_id}, its documents run {run_id_2!a}").format(
                run_id=run_id, run_id_2=first.run_id[:80]
            ),
            _NOT_OURS,
        )

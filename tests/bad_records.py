"""Every kind of undo record that cannot be put back, made from a whole one: what damage and other accounts leave."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

STRANGER = 65_534  # nobody


def _flip(record: Path) -> None:
    """Change one digit of an original: the text is as valid as before."""
    text = record.read_text()
    at = text.index('"originals"')
    digit = next(i for i in range(at, len(text)) if text[i] in "12345678")
    record.write_text(f"{text[:digit]}{int(text[digit]) + 1}{text[digit + 1 :]}")


def _strip_seal(record: Path) -> None:
    """Leave the record itself, without its checksum."""
    record.write_text(json.dumps(json.loads(record.read_text())["undo"]))


def _replace_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(record: Path) -> None:
        record.unlink()
        make(record)

    return replace


def _link_elsewhere(record: Path) -> None:
    """Keep the whole record elsewhere, and a link to it."""
    moved = record.with_name("elsewhere")
    record.rename(moved)
    record.symlink_to(moved)


def _rename(record: Path) -> None:
    """Do as earlier versions did with a damaged record."""
    record.write_bytes(record.read_bytes()[:-7])
    record.rename(record.with_name(f"{record.name}.corrupt-1763900000000000000"))


BAD: dict[str, Callable[[Path], object]] = {
    "a digit": _flip,
    "stripped of its seal": _strip_seal,
    "truncated": lambda record: record.write_bytes(record.read_bytes()[:-7]),
    "empty": lambda record: record.write_bytes(b""),
    "no text": lambda record: record.write_bytes(b"\xff\xfe\0"),
    "nested": lambda record: record.write_bytes(b'{"format":' + b"[" * 100_000),
    "too long": lambda record: record.write_bytes(record.read_bytes() + b" " * 1_000_000),
    "newer": lambda record: record.write_text(json.dumps({"format": "domtune-undo/9"})),
    "writable for others": lambda record: record.chmod(0o666),
    "a FIFO": _replace_by(os.mkfifo),
    "a folder": _replace_by(Path.mkdir),
    "a dangling link": _replace_by(lambda record: record.symlink_to(record.with_name("nowhere"))),
    "a link": _link_elsewhere,
    "renamed by an earlier version": _rename,
}
if os.geteuid() == 0:
    BAD["another account's"] = lambda record: os.chown(record, STRANGER, STRANGER)


def remove_all(folder: Path) -> None:
    """Empty a folder of records."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def looks(folder: Path) -> dict[str, object]:
    """Return what identifies every entry, locks aside: what reading has changed is another afterwards."""
    found: dict[str, object] = {}
    for path in folder.iterdir():
        if path.suffix != ".lock":
            status = path.lstat()
            body = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[path.name] = (status.st_ino, status.st_mode, status.st_uid, status.st_mtime_ns, body)
    return found

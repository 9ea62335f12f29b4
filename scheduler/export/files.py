"""Writing a file whole or not at all, so that a full disk never leaves half an export."""

import os
from pathlib import Path


def write_text(path: Path, text: str, *, executable: bool = False) -> Path:
    """Write UTF-8 text with LF line ends under a temporary name, then rename; raises OSError."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with fresh.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        if executable:
            fresh.chmod(0o755)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return path

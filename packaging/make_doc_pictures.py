"""Small pictures of the window for the pages, from the scenes of packaging/screenshots.py.

    python packaging/make_doc_pictures.py [--check]

Each scene is written to `docs/images/NAME.png`, 900 pixels wide, with at most 256 colours. `docs/images/pictures.json`
has a hash of the visible texts of each scene. The order of texts, and numbers, times and folders do not count. Texts
with figures of a sweep, and the preflight of this computer, are excluded.
`--check` writes nothing and exits with 1 if a scene has other texts than its picture: run the script again then.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
HASHES = IMAGES / "pictures.json"
SCENES = (
    *("first-start", "wizard-simulated-host", "wizard-3-splits", "wizard-5-protocol", "wizard-6-review"),
    *("live-running", "result", "result-why", "apply", "watch-named", "wizard-xen-key", "wizard-guests"),
)
_MEASURED = frozenset({"result", "result-why", "live-running"})
_FOLDER = re.compile(r"/\S*domtune-pictures-[^/\s]*")
_TIME = re.compile(r"\b[0-9.]+\s(?:ms|s|min|h|days?)\b(?:\s[0-9.]+\s(?:s|min|h)\b)*")
_PREFLIGHT = re.compile(r"(?<=^Check a&gain\n).*?(?=^Comman&ds)", re.DOTALL | re.MULTILINE)  # differs by computer
WIDTH_PX = 900
MOST_BYTES = 80_000
_COLOURS = 256


def hash_texts(text: str, *, measured: bool = False) -> str:
    """Return the hash of a scene's texts, 16 hexadecimal digits.

    Args:
        text: The texts, one a line.
        measured: True to exclude texts with numbers, since their words depend on measured figures.
    """
    lines = {_FOLDER.sub("FOLDER", line) for line in _PREFLIGHT.sub("", text).splitlines()}
    if measured:
        lines = {line for line in lines if not re.search(r"[0-9]", line)}
    counted = sorted({re.sub(r"[0-9]+", "0", _TIME.sub("0 s", line)) for line in lines})
    return hashlib.sha256("\n".join(counted).encode()).hexdigest()[:16]


def hash_scene(name: str, text: str) -> str:
    """Return the hash of the texts of the scene with this name."""
    return hash_texts(text, measured=name in _MEASURED)


def shrink(source: Path, target: Path) -> None:
    """Write a picture with the width and the colours of the pages.

    Raises:
        ValueError: The written file has more than `MOST_BYTES`.
    """
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage

    image = QImage(str(source)).scaledToWidth(WIDTH_PX, Qt.TransformationMode.SmoothTransformation)
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    pixels = rows[:, : WIDTH_PX * 3].reshape(-1, 3).astype(np.int32)
    for colours in (_COLOURS, 128, 64, 32):
        palette, numbers = _reduce_colours(pixels, colours)
        flat = np.ascontiguousarray(numbers.reshape(image.height(), WIDTH_PX).astype(np.uint8))
        made = QImage(flat.data, WIDTH_PX, image.height(), WIDTH_PX, QImage.Format.Format_Indexed8)
        made.setColorTable([0xFF000000 | int(red) << 16 | int(green) << 8 | int(blue) for red, green, blue in palette])
        made.save(str(target), "PNG", 0)  # the smallest file
        if target.stat().st_size <= MOST_BYTES:
            return
    raise ValueError(f"{target} has more than {MOST_BYTES} bytes")


def _reduce_colours(pixels: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the most frequent colours, and for each pixel the number of the nearest of them.

    Args:
        pixels: Red, green and blue of each pixel, 0..255, shape (n, 3).
        most: Number of colours, 1..256.
    """
    cells = pixels >> 2
    keys = cells[:, 0] << 12 | cells[:, 1] << 6 | cells[:, 2]
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    palette = pixels[first[np.argsort(-counts)[:most]]]
    distances = ((pixels[first][:, None, :] - palette[None]) ** 2).sum(axis=2)
    return palette, distances.argmin(axis=1)[inverse]


def main() -> int:
    """Take the pictures, or check their texts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare the texts of the scenes; write nothing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory(prefix="domtune-pictures-") as folder:
        script = ROOT / "packaging" / "screenshots.py"
        texts = ["--texts"] if check else []
        command = [sys.executable, str(script), folder, *texts, "--scale", "1", "--only", *SCENES]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={"PYTHONPATH": str(ROOT), **os.environ})
        hashes = {name: hash_scene(name, Path(folder, f"{name}.txt").read_text(encoding="utf-8")) for name in SCENES}
        if check:
            stored = json.loads(HASHES.read_text(encoding="utf-8"))
            stale = [name for name in SCENES if hashes[name] != stored.get(name)]
            print("\n".join(f"{name}: other texts than its picture" for name in stale))
            return 1 if stale else 0
        for name in SCENES:
            shrink(Path(folder, f"{name}-light.png"), IMAGES / f"{name}.png")
            print(IMAGES / f"{name}.png")
    HASHES.write_text(json.dumps(hashes, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

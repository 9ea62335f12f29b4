"""Every page and dialog on real screens, under real names: nothing is out of reach, and no word is cut for good."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from scheduler import places
from scheduler.store.run_store import RunStore
from tests.ui.fits_scenes import documents, results
from tests.volume import deep, times

pytestmark = pytest.mark.ui
ROOT = Path(__file__).parents[2]
SCREENS_PX = ((1024, 600), (1280, 800), (1920, 1080))
LOOKS = 38  # pages and dialogs, as the driver opens them


def _screens(path: Path, sizes_px: Sequence[tuple[int, int]]) -> Path:
    """Write down screens beside each other for Qt's platform without a display."""
    left_px, screens = 0, []
    for width, height in sizes_px:
        screens.append(
            {
                "name": f"{width}",
                "x": left_px,
                "y": 0,
                "width": width,
                "height": height,
                "logicalDpi": 96,
                "logicalBaseDpi": 96,
                "dpr": 1,
            }
        )
        left_px += width
    path.write_text(json.dumps({"screens": screens}), encoding="utf-8")
    return path


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("scale", "screens"), [(1, times(1, 3)), *([(2, 3)] if deep() else [])])
def test_every_page_and_dialog_fits_real_screens_and_real_names(home: Path, tmp_path: Path, scale: int, screens: int):
    """The smallest screen; larger ones, and twice the pixels, at which sizes differ by rounding, in depth alone."""
    for number in range(2):
        recorded = documents(run_id=f"run-{number}")
        with RunStore(places.store_path()) as store:
            for document in recorded:
                store.append(f"run-{number}", document)
            store.keep_results(f"run-{number}", results())
    platform = f"offscreen:configfile={_screens(tmp_path / 'screens.json', SCREENS_PX[:screens])}"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.ui.fits_driver"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": platform, "QT_SCALE_FACTOR": str(scale)},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    *misfits, last = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert misfits == []
    assert last == f"looked at {LOOKS * screens}"

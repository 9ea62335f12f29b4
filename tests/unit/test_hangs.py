"""What the suite does with a test that hangs where its timeout cannot raise."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HANGING = """
from PySide6.QtCore import QCoreApplication, QEventLoop

def test_in_a_loop_that_nobody_ends():
    app = QCoreApplication([])
    QEventLoop().exec()
"""


def test_hang_inside_qt_ends_the_process_and_is_reported_with_its_place(tmp_path):
    file = tmp_path / "test_hanging.py"
    file.write_text(HANGING, encoding="utf-8")
    words = ["-m", "pytest", "-p", "tests.hangs", "-o", "timeout=1", "-c", "/dev/null", "--rootdir", tmp_path, file]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "test_hanging.py" in done.stderr
    assert "in test_in_a_loop_that_nobody_ends" in done.stderr

"""How long the window takes to be usable, against the libraries that it cannot do without."""

import os
import subprocess
import sys

_LIBRARIES = """
import PySide6.QtWidgets, pyqtgraph
"""

# The window is usable when it is painted and the event loop has nothing left to do.
_WINDOW = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Appearance, Theme

app = QApplication([])
window = MainWindow(Theme(app, Appearance.LIGHT), Settings())
window.show()
window.home.loaded.connect(lambda: QTimer.singleShot(0, app.quit))
app.exec()
sys.stdout.flush()
import os
os._exit(0)  # what ending costs is not what starting costs
"""


def cpu_s(code: str) -> float:
    """Return the CPU seconds of a fresh interpreter that runs the code; steadier than the clock on a busy machine."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    before = os.times()
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    after = os.times()
    return (after.children_user - before.children_user) + (after.children_system - before.children_system)


def startup_ratio(rounds: int = 3) -> tuple[float, float, float]:
    """Return window over libraries, and both in CPU seconds: the best of some interleaved rounds."""
    pairs = [(cpu_s(_WINDOW), cpu_s(_LIBRARIES)) for _ in range(rounds)]
    window_s, libraries_s = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    return window_s / libraries_s, window_s, libraries_s

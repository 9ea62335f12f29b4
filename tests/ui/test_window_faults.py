"""What the window says of its own faults: at once of an exception, at the next start of a crash; never a password."""

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from app.background import BackgroundWorker
from app.pages.fault_dialog import FaultDialog
from app.theme.theme import Theme
from app.window_faults import describe_fault, redact_secrets
from scheduler import places

# The window as it is started, with something done in it once its banner has been checked.
WINDOW = """
import faulthandler, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import app.__main__
from app.pages.fault_dialog import FaultDialog
sys.argv = ["domtune"]
start = QApplication.exec

def broken():
    password = "hunter2"
    raise ValueError("of postgresql://me:hunter2@db/x, password=hunter2")

def look():
    dialogs = [one for one in QApplication.topLevelWidgets() if isinstance(one, FaultDialog) and one.isVisible()]
    if dialogs:
        print(len(dialogs), dialogs[0].host.text(), dialogs[0].report, flush=True)
        QApplication.exit(0)

def begin(*_):
    QTimer.singleShot(300, lambda: {act})
    again = QTimer(QApplication.instance())
    again.timeout.connect(look)
    again.start(400)
    QTimer.singleShot(30_000, lambda: QApplication.exit(7))
    return start()

QApplication.exec = begin
sys.exit(app.__main__.main())
"""


def _window(act: str) -> subprocess.CompletedProcess[str]:
    code = WINDOW.replace("{act}", act)
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=90)


def test_exception_in_a_slot_is_reported_once_with_what_it_means_for_hosts_and_no_password(home: Path):
    done = _window("[QTimer.singleShot(10 * n, broken) for n in range(3)]")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 No sweep is running")
    assert "in broken" in done.stdout
    assert "ValueError" in done.stdout
    assert "hunter2" not in done.stdout


def test_crash_is_reported_at_the_next_start_and_only_then(home: Path):
    assert _window("faulthandler._sigsegv()").returncode < 0
    reported = _window("None")
    assert reported.returncode == 0, reported.stderr
    assert "Segmentation fault" in reported.stdout
    assert "no restore is pending" in reported.stdout
    assert not (places.state_dir() / "window-crash.log").read_bytes()


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:hunter2@db/x",
        "postgres:me:hunter2@db",
        "PGPASSWORD=hunter2 was set",
        '{"password": "hunter2"}',
        "xapi://root:hunter2#x@pool",
    ],
)
def test_report_holds_no_password_however_it_was_written(text: str):
    assert "hunter2" not in redact_secrets(text)


def test_what_is_no_secret_is_kept_in_a_report():
    text = 'File "app/window_faults.py", line 3, in take\nKeyError: xl+ssh://root@xen1 has no domain 7\n'
    assert redact_secrets(text) == text


def test_report_can_be_copied_and_saved(theme: Theme, background: BackgroundWorker, tmp_path: Path, qtbot):
    dialog = FaultDialog(theme, background, "heading", describe_fault(ValueError("so")), "No host.")
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == dialog.report
    dialog.save(tmp_path / "report.txt")
    qtbot.waitUntil(dialog.message.isVisible)
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == dialog.report
    dialog.save(tmp_path / "no" / "folder.txt")
    qtbot.waitUntil(lambda: "could not be saved" in dialog.message.text.text())

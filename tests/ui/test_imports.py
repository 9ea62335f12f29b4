"""What import-linter cannot see: what is really loaded."""

import subprocess
import sys

_FORBIDDEN = (
    "psycopg2",
    "pymysql",
    "psutil",
    "scheduler.run",
    "scheduler.hosts",
    "scheduler.loads",
    "scheduler.commands",
)


def _modules_after(code: str) -> set[str]:
    code += "\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_importing_the_window_loads_no_driver_engine_or_plot():
    loaded = _modules_after("import app.main_window")
    assert "PySide6.QtWidgets" in loaded
    assert not [name for name in loaded if name.startswith(_FORBIDDEN)]
    assert not loaded & {"pyqtgraph", "numpy", "scipy", "jinja2", "app.wizard.wizard", "app.pages.live_page"}


def test_importing_the_core_loads_nothing_of_qt():
    loaded = _modules_after("import scheduler.__main__, scheduler.commands.core_command")
    assert not [name for name in loaded if name.startswith(("PySide6", "pyqtgraph", "app"))]


def test_app_with_words_runs_the_command_line(home):
    done = subprocess.run(
        [sys.executable, "-m", "app", "restore", "--list", "--json"], check=True, capture_output=True, text=True
    )
    assert done.stdout == '{"clean":true,"items":[],"applied":[],"recorded_runs":[]}\n'


def test_app_with_unknown_word_exits_with_2(home):
    done = subprocess.run([sys.executable, "-m", "app", "no-such-word"], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no-such-word" in done.stderr


def test_window_opens_imports_other_pages_while_no_one_waits_and_quits(home):
    """In a fresh interpreter: soon after the window can be used, opening a page needs no import."""
    code = (
        "import app.__main__, sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from PySide6.QtWidgets import QApplication\n"
        "sys.argv = ['domtune']\n"
        "start = QApplication.exec\n"
        "def look():\n"
        "    if 'app.wizard.wizard' in sys.modules:\n"
        "        QApplication.closeAllWindows()\n"
        "def begin(*_):\n"
        "    assert 'pyqtgraph' not in sys.modules\n"
        "    again = QTimer(QApplication.instance())\n"
        "    again.timeout.connect(look)\n"
        "    again.start(50)\n"
        "    return start()\n"
        "QApplication.exec = begin\n"
        "sys.exit(app.__main__.main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (home / "domtune.ini").exists()

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


def test_that_the_window_loads_no_driver_and_no_engine():
    loaded = _modules_after("import app.main_window")
    assert "PySide6.QtWidgets" in loaded
    assert not [name for name in loaded if name.startswith(_FORBIDDEN)]


def test_that_the_window_opens_before_anything_that_draws_plots_is_loaded():
    loaded = _modules_after("import app.main_window")
    assert not loaded & {"pyqtgraph", "numpy", "scipy", "jinja2", "app.wizard.wizard", "app.panels.live_page"}


def test_that_the_core_loads_nothing_of_qt():
    loaded = _modules_after("import scheduler.__main__, scheduler.commands.core_command")
    assert not [name for name in loaded if name.startswith(("PySide6", "pyqtgraph", "app"))]


def test_that_words_go_to_the_command_line(home):
    done = subprocess.run(
        [sys.executable, "-m", "app", "restore", "--list", "--json"], check=True, capture_output=True, text=True
    )
    assert done.stdout == '{"clean":true,"items":[],"applied":[],"told":[]}\n'


def test_that_a_bad_word_keeps_its_exit_code(home):
    done = subprocess.run([sys.executable, "-m", "app", "no-such-word"], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "no-such-word" in done.stderr


def test_that_the_window_opens_and_quits(home):
    code = (
        "import app.__main__, sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from PySide6.QtWidgets import QApplication\n"
        "sys.argv = ['domtune']\n"
        "start = QApplication.exec\n"
        "QApplication.exec = lambda *_: (QTimer.singleShot(500, QApplication.closeAllWindows), start())[1]\n"
        "sys.exit(app.__main__.main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (home / "domtune.ini").exists()

"""The attack: in a folder that everybody may write to lie modules with our names and the standard library's.

Whoever starts DomTune there (`cd /tmp; sudo domtune restore`) runs nothing of them, whatever way it is started.
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from labs.lxc.containers import ContainerPlan, io_domain_xml
from scheduler.children import python_module

pytestmark = pytest.mark.crash

PLANTED = (
    *("scheduler/__init__", "scheduler/__main__", "app/__init__", "app/__main__", "resources/__init__"),
    *("argparse", "asyncio", "ctypes", "json", "libvirt", "logging", "mmap", "msgspec", "platformdirs", "psutil"),
    *("psycopg2", "runpy", "select", "sitecustomize", "socket", "sqlite3", "subprocess", "tempfile", "usercustomize"),
)
HIJACK = """
import os
with open({mark!r}, "a") as mark:
    mark.write("%s ran in %d\\n" % (__name__, os.getpid()))
"""
DOMTUNE = """
import sys
from app.__main__ import main
sys.argv = ["domtune", *{words!r}]
main()
"""
WINDOW = """
import sys
from PySide6.QtCore import QCoreApplication
from app.core_process import OneShotCommand
app = QCoreApplication([])
asked = OneShotCommand(["probe", "sim:", "--json"], b"", 60.0)
asked.finished.connect(lambda out, code: (print(out.decode()), app.exit(code)))
sys.exit(app.exec())
"""
SCOPE = """
import argparse
from scheduler.commands import delegated_scope
delegated_scope.privilege_prefix = lambda: ["env"]  # where systemd-run stands for an ordinary user
delegated_scope.enter_scope(argparse.Namespace(word="probe", url="local:"), ["probe", "sim:", "--json"])
"""
RELAY = """
from scheduler.hosts.local.relay_process import RelayProcess
relay = RelayProcess("127.0.0.1", 9)
relay.start()
print("listens", relay.port > 0)
relay.stop()
"""
WORKER = """
from scheduler.loads.user_messages import BeginOrder
from scheduler.loads.user_process import UserProcess
params = {"host": "127.0.0.1", "port": "9", "user": "x", "dbname": "x", "connect_timeout": "2"}
user = UserProcess(BeginOrder(params, "osdb-ir", 2000, 1, 0))
import select
select.select([user.fileno()], [], [], 60.0)
print([type(answer).__name__ for answer in user.answers()])
user.end()
"""
SERVER = """
import os
from pathlib import Path
from scheduler.databases import spawn
from scheduler.databases.account import ServerAccount
me = ServerAccount("me", os.geteuid(), os.getegid())
print(spawn.run_program(spawn.build_command(None, (), ["/bin/cat"]), Path("/"), 60.0, "launched", me).stdout)
"""
LIBVIRT = """
import sys
from scheduler.hosts.libvirt.worker_process import ConnectionLost, WorkerProcess
speaker = WorkerProcess(sys.executable)
try:
    speaker.ask({"do": "nothing"}, 60.0)
except Exception as error:
    print("asked", type(error).__name__)
speaker.end()
"""
ENTRIES = {
    "domtune probe": (DOMTUNE.format(words=["probe", "sim:", "--json"]), "simulated"),
    "domtune restore": (DOMTUNE.format(words=["restore", "--list"]), "Nothing to restore"),
    "window": (WINDOW, "simulated"),
    "scope": (SCOPE, "simulated"),
    "relay": (RELAY, "listens True"),
    "worker": (WORKER, "Failed"),
    "database": (SERVER, "launched"),
    "libvirt": (LIBVIRT, "asked"),
}


@pytest.fixture
def planted(tmp_path) -> Path:
    """A folder as /tmp may look like, and the file that tells of everything that ran."""
    folder = tmp_path / "everybodys"
    for name in PLANTED:
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HIJACK.format(mark=str(tmp_path / "ran")))
    return folder


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "DOMTUNE_HOME": str(folder.parent / "home"), "QT_QPA_PLATFORM": "offscreen"}


def attacked(words: list[str], folder: Path) -> str:
    done = subprocess.run(
        words, cwd=folder, env=environment(folder), input="", capture_output=True, text=True, timeout=120, check=False
    )
    return done.stdout + done.stderr


def ran(folder: Path) -> str:
    mark = folder.parent / "ran"
    return mark.read_text() if mark.exists() else ""


def test_planted_module_without_safe_path_runs(planted, python_started):
    """Without `-P` it does: the other laws here cannot hold for want of an attack."""
    attacked([sys.executable, "-m", "scheduler", "restore", "--list"], planted)
    assert "scheduler" in ran(planted)


@pytest.mark.parametrize("entry", ENTRIES)
def test_nothing_of_the_current_folder_runs(planted, entry):
    text, expected = ENTRIES[entry]
    said = attacked([sys.executable, "-P", "-c", text], planted)
    assert ran(planted) == ""
    assert expected in said, said


def test_installed_command_runs_nothing_of_the_current_folder(planted):
    command = Path(sys.executable).with_name("domtune")
    assert command.exists(), "DomTune is not installed beside this Python: run `make setup`"
    said = attacked([str(command), "restore", "--list"], planted)
    assert ran(planted) == ""
    assert "Nothing to restore" in said


def test_labs_relay_runs_nothing_of_the_current_folder(planted):
    plan = ContainerPlan(0, 0, 9, ("/postgres",), Path("/log"), 1, 1, Path("/init"))
    description = ET.fromstring(io_domain_xml(plan)).find("os")
    words = [description.findtext("init"), *(each.text for each in description.findall("initarg"))]
    assert words == python_module("labs.lxc.relay", "0", "9")
    assert "-P" in words  # it listens until its container ends: what it does is looked at without that
    said = attacked([*words[:-2], "no port", "9"], planted)
    assert ran(planted) == ""
    assert "invalid literal" in said

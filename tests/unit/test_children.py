"""What every process that we start has in common, over the whole tree: no module of the current folder, no password."""

import ast
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler import children
from scheduler.children import (
    drop_relative_folders,
    environment_without_secrets,
    find_program,
    python_environment,
    python_module,
    python_script,
)
from scheduler.databases import spawn
from scheduler.hosts.libvirt import libvirt_uri
from scheduler.hosts.remote import local_shell
from scheduler.hosts.remote.askpass import SECRET, asking_environment, quiet_environment
from scheduler.hosts.xapi import xapi_url
from tests.product_sources import ROOT, sources

NAMES = (SECRET, libvirt_uri.SECRET, xapi_url.SECRET, "PGPASSWORD", "MYSQL_PWD")
STARTS = re.compile(r"subprocess\.(Popen|run|call|check_\w+|get\w+output)|asyncio\.create_subprocess_\w+")
OUR_STARTS = {"ChildProgram", "run_and_capture"}
# All others start programs by `children`, with a session, an environment and limits that cannot be forgotten.
STARTERS = {
    "scheduler/children.py",
    "scheduler/loads/engines/program_supervisor.py",  # binds the program to its life before the program begins
    "scheduler/run/local_guard_process.py",  # imports no module of ours
    "app/__main__.py",  # goes on as the core where a process cannot become another
    "labs/xen/recipe.py",  # a build of minutes that may ask on the terminal
}
BECOMES = re.compile(r"os\.(exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|system|popen|startfile)")
# Ways to an environment that hold no password, and the arguments that carry one of these to where a process starts.
BARE = {"bare_environment", "environment_without_secrets", "python_environment", "quiet_environment"}
HANDED_ON = {
    "scheduler/children.py": {"variables"},
    "scheduler/hosts/remote/line_stream.py": {"env"},
    "scheduler/hosts/remote/persistent_shell.py": {"env"},
    "scheduler/hosts/remote/child_processes.py": {"env"},
    "scheduler/databases/spawn.py": {"bare_environment(home)"},
    "scheduler/run/local_guard_process.py": {"dict(os.environ)"},
}
# What goes on as another program: systemd-run, which becomes us again, and the shim of the database's processes.
BECOMING = {
    "os.execvp": "scheduler/commands/delegated_scope.py",
    "os.execv": "scheduler/databases/launch.py",
}
# What stands in a variable where a process starts was made by one of these, in the same module.
MAKERS_OF = BARE | {"asking_environment"}
# What reads or sets one variable; all else of `os.environ` is the whole of it.
ONE_VARIABLE = {"get", "update", "setdefault", "pop"}
# Other names for what the laws here look for, and other ways to start a process.
ALIASED = {"os", "sys", "subprocess", "asyncio"}
NEVER_FROM = {"os", "sys", "subprocess", "asyncio.subprocess"}
NEVER = {"multiprocessing", "pty", "popen2", "concurrent.futures.process"}
NEVER_NAMED = {"QProcess", "ProcessPoolExecutor", "environb", "fork", "forkpty", "base_exec_prefix", "_base_executable"}
# ssh and only ssh is given the password of its own host; what only goes on where we end is given what we have.
WITH_SECRETS = {
    "scheduler/hosts/remote/ssh_shell.py": "environment",
    "app/child_process.py": "our_environment",
    "app/__main__.py": "our_environment",
    "scheduler/commands/follow_background.py": "our_environment",  # the same program, further on
}


def starts() -> Iterator[tuple[str, ast.Call]]:
    """Yield every call of the product that starts a program, and where it stands."""
    for name, tree in sources("app", "scheduler", "labs", words=OUR_STARTS | ALIASED):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OUR_STARTS:
                yield name, node
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                called = ast.unparse(node.func) if _names_a_module(node.func.value) else ""
                if STARTS.fullmatch(called) or BECOMES.fullmatch(called):
                    yield name, node


def _names_a_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ALIASED


LEAVES = """import pathlib, time
from scheduler.children import DEVNULL, ChildProgram, environment_without_secrets
environment = environment_without_secrets()
goes_on = ChildProgram(["sleep", "60"], environment, stdin=DEVNULL, outputs=(DEVNULL, DEVNULL))
ends = ChildProgram(["cat"], environment, outputs=(DEVNULL, DEVNULL))
goes_on.abandon()
ends.abandon()
ends.stdin.close()
while pathlib.Path(f"/proc/{ends.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
    time.sleep(0.01)
print(goes_on.pid)
"""


def test_child_that_was_left_on_purpose_is_not_called_forgotten_as_we_end():
    command = [sys.executable, "-W", "error", "-c", LEAVES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    os.kill(int(done.stdout), signal.SIGKILL)  # it went on
    assert done.stderr == ""


@pytest.fixture
def given(monkeypatch):
    for name in NAMES:
        monkeypatch.setenv(name, f"secret of {name}")
    monkeypatch.setenv("DOMTUNE_OTHER", "seen")


MAKERS = [environment_without_secrets, python_environment, quiet_environment, local_shell._english_environment]


@pytest.mark.parametrize("made", MAKERS)
def test_no_one_inherits_a_password(given, made):
    environment = made()
    assert not [value for value in environment.values() if "secret of" in value]
    assert environment["DOMTUNE_OTHER"] == "seen"


def test_database_inherits_nothing_at_all(given):
    assert set(spawn.bare_environment(Path("/"))) == {"PATH", "LC_ALL", "HOME", "TZ", "PGTZ"}


def test_ssh_gets_its_own_password_and_no_other(given, tmp_path):
    environment = asking_environment(tmp_path, "for this host", {"xen1"})
    assert environment[SECRET] == "for this host"
    assert not [value for value in environment.values() if "secret of" in value]


def test_programs_are_started_by_named_modules_only():
    found = {
        name
        for name, tree in sources("app", "scheduler", "labs", words={"subprocess"})
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and STARTS.fullmatch(ast.unparse(node))
    }
    assert found == STARTERS


def test_every_place_that_starts_a_program_reports_what_it_inherits():
    found = list(starts())
    assert len(found) >= 15
    wrong = [f"{name}:{call.lineno} {ast.unparse(call)[:80]}" for name, call in found if not _is_bare(name, call)]
    assert wrong == []


def _is_bare(name: str, call: ast.Call) -> bool:
    if ast.unparse(call.func) in BECOMING:
        return name == BECOMING[ast.unparse(call.func)]
    place = {"ChildProgram": 1, "run_and_capture": len(call.args)}.get(ast.unparse(call.func), 2)
    given = [keyword.value for keyword in call.keywords if keyword.arg in {"env", "environment"}]
    given = given or call.args[place : place + 1]
    if ast.unparse(call.func) == "run_and_capture" and not given:
        return True  # made by `environment_without_secrets`
    text = ast.unparse(given[0]) if given else ""
    if text == "environment":
        return _is_made(name)
    allowed = {f"{maker}()" for maker in BARE} | HANDED_ON.get(name, set())
    return text in allowed or (bool(given) and name in WITH_SECRETS and WITH_SECRETS[name] in text)


def _is_made(name: str) -> bool:
    """Return whether whatever a module calls `environment` was made by a maker."""
    pairs = [
        _pair(node)
        for node in ast.walk(dict(sources("app", "scheduler", "labs", words={"environment"}))[name])
        if isinstance(node, ast.Assign)
    ]
    values = [value for target, value in pairs for each, value in _zipped(target, value) if each == "environment"]
    makers = MAKERS_OF | {WITH_SECRETS.get(name, "")}
    return bool(values) and all(_calls(value) and _calls(value) <= makers | {"str"} for value in values)


def _pair(node: ast.Assign) -> tuple[ast.expr, ast.expr]:
    return node.targets[0], node.value


def _zipped(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for left, right in zip(target.elts, value.elts, strict=True):
            yield ast.unparse(left), right
    else:
        yield ast.unparse(target), value


def _calls(value: ast.expr) -> set[str]:
    return {ast.unparse(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)}


def test_nothing_that_starts_a_program_has_another_name():
    found = [
        f"{name}:{line} {text}" for name, tree in sources("app", "scheduler", "labs") for line, text in aliases(tree)
    ]
    assert found == []


def _last_name(node: ast.expr) -> str:
    """Return a name, or the last part of a dotted one; empty for any other expression."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def aliases(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield what would let a start, an environment or an interpreter go unseen by the laws here."""
    for node in ast.walk(tree):
        named: list[bool] = []
        if isinstance(node, ast.Import):
            named = [each.name in NEVER or (each.name in ALIASED and each.asname is not None) for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            named = [node.module in NEVER | NEVER_FROM, *(each.name in NEVER_NAMED for each in node.names)]
            named += [each.name in OUR_STARTS and each.asname is not None for each in node.names]
        elif isinstance(node, ast.Attribute):
            named = [node.attr in NEVER_NAMED | OUR_STARTS]
        elif isinstance(node, ast.Call) and _last_name(node.func) in {"import_module", "__import__", "getattr"}:
            called, words = ast.unparse(node.func), [ast.unparse(argument).strip("'") for argument in node.args]
            imported = called in {"import_module", "importlib.import_module", "__import__"}
            named = [bool(words) and imported and words[0] in ALIASED | NEVER]
            named += [called == "getattr" and words[0] in ALIASED and not words[1].startswith("O_")]
        elif isinstance(node, ast.Assign | ast.ClassDef):
            values = [node.value] if isinstance(node, ast.Assign) else node.bases
            never = ALIASED | OUR_STARTS | {"os.environ", "sys.executable", "subprocess.Popen"}
            named = [ast.unparse(value) in never for value in values if _last_name(value)]
        if any(named):
            yield node.lineno, ast.unparse(node)[:80]


@pytest.mark.parametrize(
    "text",
    [
        "from subprocess import Popen",
        "import subprocess as s",
        "from os import environ, execv",
        "import os as system",
        "from sys import executable",
        "import multiprocessing",
        "from concurrent.futures import ProcessPoolExecutor",
        "from PySide6.QtCore import QObject, QProcess",
        "QtCore.QProcess.startDetached('x')",
        "os.fork()",
        "getattr(os, 'system')('x')",
        "run = __import__('subprocess').run",
        "import_module('subprocess').run(['x'])",
        "start = subprocess.Popen",
        "start = ChildProgram",
        "from scheduler.children import run_and_capture as run",
        "children.ChildProgram(['x'], {})",
        "class Other(ChildProgram): pass",
        "x = os.environ",
    ],
)
def test_another_name_would_be_seen(text):
    assert list(aliases(ast.parse(text))) != []


def test_whole_environment_is_only_for_what_goes_on_where_we_end():
    users = {
        name
        for name, tree in sources("app", "scheduler", "labs", words={"our_environment"})
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == "our_environment"
    }
    assert users == {name for name, maker in WITH_SECRETS.items() if maker == "our_environment"}


def test_no_one_takes_the_whole_environment_but_where_all_are_made():
    whole: list[str] = []
    for name, tree in sources("app", "scheduler", "labs", words={"environ"}):
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr == "environ" and ast.unparse(node) == "os.environ":
                used = parents[node]
                one = used.attr in ONE_VARIABLE if isinstance(used, ast.Attribute) else None
                if not (isinstance(used, ast.Subscript | ast.Compare) if one is None else one):
                    whole.append(f"{name}:{node.lineno}")
    # The keeper imports nothing of ours, and hands on what `children` made for it.
    assert {place.partition(":")[0] for place in whole} == {
        "scheduler/children.py",
        "scheduler/run/local_guard_process.py",
    }


def test_python_is_started_in_one_way_only():
    """Whoever runs `sys.executable` says where modules come from; `children` is who says it."""
    named = {
        name
        for name, tree in sources("app", "scheduler", "labs", words={"executable"})
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "executable" and ast.unparse(node) == "sys.executable"
    }
    # The other asks whether an interpreter has libvirt, by `-I`.
    assert named == {"scheduler/children.py", "scheduler/hosts/libvirt/libvirt_python.py"}
    assert python_module("a.module", "x") == [sys.executable, "-P", "-m", "a.module", "x"]
    assert python_script(Path("/a.py"), "x") == [sys.executable, "-I", "-S", "/a.py", "x"]
    assert python_script(Path("/a.py"), python="/usr/bin/python3") == ["/usr/bin/python3", "-I", "/a.py"]


def test_no_script_starts_python_with_the_modules_of_the_current_folder():
    safe = re.compile(r"python[\d.]*[\"']?,? [\"']?-(P|I|E?I)\b")
    risky = re.compile(r"\bpython[\d.]*[\"']?,? [\"']?-[mc]\b")
    found = []
    for folder in ("scheduler", "labs", "app", "resources"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix not in {".pyc", ".png", ".svg", ".ttf", ".ico"}:
                for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
                    prose = '"""' in line or "`" in line or line.startswith("    python -m ")
                    if risky.search(line) and not safe.search(line) and not prose:
                        found.append(f"{path.relative_to(ROOT)}:{number} {line.strip()}")
    assert found == []


def test_source_tree_is_found_by_its_children_and_the_current_folder_is_not(monkeypatch):
    monkeypatch.setattr(sys, "path", ["", str(ROOT), *sys.path])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "/elsewhere", ""]))
    assert python_environment()["PYTHONPATH"] == os.pathsep.join([str(ROOT), "/elsewhere"])


def test_installed_product_changes_no_path(monkeypatch):
    monkeypatch.setattr(children, "_ROOT", next(path for path in sys.path if path.endswith("site-packages")))
    assert children.import_path() == {}


@pytest.mark.parametrize("path", [".:{}", ":{}", "{}:", "bin:{}", "./bin:{}"])
def test_program_of_the_current_folder_is_never_found(tmp_path, monkeypatch, path):
    """N13: PATH with an empty or a relative entry, in a folder that everybody may write to."""
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path, tmp_path / "bin", tmp_path / "own"):
        folder.mkdir(exist_ok=True)
        (folder / "a-program").write_text("#!/bin/sh\n")
        (folder / "a-program").chmod(0o755)
    monkeypatch.setenv("PATH", path.format(tmp_path / "own"))
    assert find_program("a-program") == str(tmp_path / "own/a-program")
    assert find_program("bin/a-program") == find_program("./a-program") == find_program("no-program") == ""
    assert find_program("a-program", "bin") == find_program("a-program", "") == ""
    drop_relative_folders()
    assert os.environ["PATH"] == str(tmp_path / "own")


def test_programs_are_found_in_one_way():
    users = [
        path
        for part in ("app", "scheduler", "labs")
        for path in (ROOT / part).rglob("*.py")
        if "shutil.which" in path.read_text()
    ]
    assert [path.relative_to(ROOT).as_posix() for path in users] == ["scheduler/children.py"]

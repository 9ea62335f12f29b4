"""What every process that we start has in common, over the whole tree: no module of the current folder, no password."""

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler import children
from scheduler.children import environment_without_secrets, python_environment, python_module, python_script
from scheduler.databases import spawn
from scheduler.hosts.libvirt import uri as libvirt_uri
from scheduler.hosts.remote import local_shell
from scheduler.hosts.remote.askpass import SECRET, asking_environment, quiet_environment
from scheduler.hosts.xapi import url as xapi_url

ROOT = Path(__file__).resolve().parents[2]
NAMES = (SECRET, libvirt_uri.SECRET, xapi_url.SECRET, "PGPASSWORD")
STARTS = re.compile(r"subprocess\.(Popen|run|call|check_\w+|get\w+output)|asyncio\.create_subprocess_\w+")
BECOMES = re.compile(r"os\.(exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|system|popen|startfile)")
# Ways to an environment that hold no password, and the arguments that carry one of these to where a process starts.
BARE = {"environment_without_secrets", "python_environment", "quiet_environment"}
HANDED_ON = {
    "scheduler/hosts/remote/lines.py": {"dict(env)"},
    "scheduler/hosts/remote/kept.py": {"dict(env)"},
    "scheduler/hosts/remote/children.py": {"dict(env)"},
    "scheduler/databases/spawn.py": {"environment(home)"},
}
# What goes on as another program: systemd-run, which becomes us again, and the shim of the database's processes.
BECOMING = {
    "os.execvp": "scheduler/commands/scope.py",
    "os.execv": "scheduler/databases/launch.py",
}
# ssh and only ssh is given the password of its own host; what only goes on where we end is given what we have.
WITH_SECRETS = {
    "scheduler/hosts/remote/ssh.py": "environment",
    "app/child.py": "our_environment",
    "app/__main__.py": "our_environment",
}


def sources(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def starts() -> Iterator[tuple[str, ast.Call]]:
    """Yield every call of the product that starts a program, and where it stands."""
    for name, tree in sources("app", "scheduler"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if STARTS.fullmatch(called) or BECOMES.fullmatch(called):
                    yield name, node


@pytest.fixture
def given(monkeypatch):
    for name in NAMES:
        monkeypatch.setenv(name, f"secret of {name}")
    monkeypatch.setenv("DOMTUNE_OTHER", "seen")


MAKERS = [environment_without_secrets, python_environment, quiet_environment, local_shell._environment]


@pytest.mark.parametrize("made", MAKERS)
def test_that_nobody_inherits_a_password(given, made):
    environment = made()
    assert not [value for value in environment.values() if "secret of" in value]
    assert environment["DOMTUNE_OTHER"] == "seen"


def test_that_the_database_inherits_nothing_at_all(given):
    assert set(spawn.environment(Path("/"))) == {"PATH", "LC_ALL", "HOME", "TZ", "PGTZ"}


def test_that_ssh_gets_its_own_password_and_no_other(given, tmp_path):
    environment = asking_environment(tmp_path, "for this host", {"xen1"})
    assert environment[SECRET] == "for this host"
    assert not [value for value in environment.values() if "secret of" in value]


def test_that_every_place_that_starts_a_program_says_what_it_inherits():
    found = list(starts())
    assert len(found) >= 15
    wrong = [f"{name}:{call.lineno} {ast.unparse(call)[:80]}" for name, call in found if not _is_bare(name, call)]
    assert wrong == []


def _is_bare(name: str, call: ast.Call) -> bool:
    if ast.unparse(call.func) in BECOMING:
        return name == BECOMING[ast.unparse(call.func)]
    given = [keyword.value for keyword in call.keywords if keyword.arg == "env"] or call.args[2:3]
    text = ast.unparse(given[0]) if given else ""
    allowed = {"environment", *(f"{maker}()" for maker in BARE)} | HANDED_ON.get(name, set())
    return text in allowed or (bool(given) and name in WITH_SECRETS and WITH_SECRETS[name] in text)


def test_that_nobody_takes_the_whole_environment_but_where_all_are_made():
    whole: list[str] = []
    for name, tree in sources("app", "scheduler"):
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "os.environ":
                used = parents[node]
                if not isinstance(used, ast.Attribute | ast.Subscript | ast.Compare):  # one variable of it
                    whole.append(f"{name}:{node.lineno}")
    assert {place.partition(":")[0] for place in whole} == {"scheduler/children.py"}


def test_that_python_is_started_in_one_way_only():
    """Whoever runs `sys.executable` says where modules come from; `children` is who says it."""
    named = {
        name
        for name, tree in sources("app", "scheduler")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable"
    }
    # The other asks whether an interpreter has libvirt, by `-I`.
    assert named == {"scheduler/children.py", "scheduler/hosts/libvirt/interpreters.py"}
    assert python_module("a.module", "x") == [sys.executable, "-P", "-m", "a.module", "x"]
    assert python_script(Path("/a.py"), "x") == [sys.executable, "-I", "-S", "/a.py", "x"]
    assert python_script(Path("/a.py"), python="/usr/bin/python3") == ["/usr/bin/python3", "-I", "/a.py"]


def test_that_no_script_starts_python_with_the_modules_of_the_current_folder():
    safe = re.compile(r"python3?[\"']?,? [\"']?-(P|I|E?I)\b")
    risky = re.compile(r"\bpython3?[\"']?,? [\"']?-[mc]\b")
    found = []
    for folder in ("scheduler", "app", "resources", "packaging/helper"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix not in {".pyc", ".png", ".svg", ".ttf", ".ico"}:
                for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
                    prose = '"""' in line or "`" in line or line.startswith("    python -m ")
                    if risky.search(line) and not safe.search(line) and not prose:
                        found.append(f"{path.relative_to(ROOT)}:{number} {line.strip()}")
    assert found == []


def test_that_a_source_tree_is_found_by_its_children_and_the_current_folder_is_not(monkeypatch):
    monkeypatch.setattr(sys, "path", ["", str(ROOT), *sys.path])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "/elsewhere", ""]))
    assert python_environment()["PYTHONPATH"] == os.pathsep.join([str(ROOT), "/elsewhere"])


def test_that_an_installed_product_changes_no_path(monkeypatch):
    monkeypatch.setattr(children, "_ROOT", next(path for path in sys.path if path.endswith("site-packages")))
    assert children.path_to_us() == {}

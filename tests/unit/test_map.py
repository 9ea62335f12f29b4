"""Compare the newcomers' map, docs/explanation/how-it-works.md, with the imports of the code."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_PAGE = (ROOT / "docs" / "explanation" / "how-it-works.md").read_text(encoding="utf-8")
_ROOMS = re.search(r"## The rooms\n.*?```text\n(.*?)```", _PAGE, re.DOTALL)
_STEP = re.compile(r"^\| `(scheduler[\w.]+)` \| .+? \| `(\w+)` \|$", re.MULTILINE)


def _floors() -> list[set[str]]:
    """Return the rooms of each line of the drawing, from the top."""
    assert _ROOMS
    return [set(re.split(r"\s+\|\s+", re.split(r"\s{2,}", line)[0])) for line in _ROOMS[1].splitlines()]


def _path() -> list[tuple[str, str]]:
    """Return the modules of the path of one plan, each with the name that it makes."""
    return _STEP.findall(_PAGE[_PAGE.index("## The path of one plan") :])


def _file(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _imports(module: str) -> frozenset[str]:
    """Return the modules of the core that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(_file(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scheduler"):
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(name for name in names if _file(name).is_file())


def _reachable(start: str) -> set[str]:
    found, todo = set[str](), [start]
    while todo:
        module = todo.pop()
        if module not in found:
            found.add(module)
            todo += _imports(module)
    return found


def test_drawing_of_rooms_has_every_folder_on_its_floor() -> None:
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][
        0
    ]
    core = [
        set(line.split(" | ")) - {"__main__", "log_file", "background_runs", "translation"} for line in layers["layers"]
    ]
    folders = {path.name for path in (ROOT / "scheduler").iterdir() if (path / "__init__.py").is_file()}
    drawn = _floors()
    assert drawn[:2] == [{"app"}, {"labs"}]
    assert drawn[2:-1] == [floor for floor in core if floor][:-1]
    assert set().union(*drawn[2:-1]) == folders


def test_path_of_a_plan_names_modules_and_values_that_exist() -> None:
    path = _path()
    assert len(path) >= 10
    for module, name in path:
        assert re.search(rf"\b{name}\b", _file(module).read_text(encoding="utf-8")), f"{module} has no {name}"


def test_path_of_a_plan_is_reached_from_its_command() -> None:
    modules = [module for module, _ in _path()]
    reached = _reachable(modules[0])
    assert [module for module in modules if module not in reached] == []


@pytest.mark.parametrize("room", ["app", "labs"])
def test_core_imports_neither_window_nor_labs(room: str) -> None:
    for path in (ROOT / "scheduler").rglob("*.py"):
        assert not re.search(rf"^\s*(from|import) {room}\b", path.read_text(encoding="utf-8"), re.MULTILINE), path

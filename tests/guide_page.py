"""Code blocks of a how-to guide, applied to a copy of the source tree as the page says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```python\n# (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def read_blocks(page: str) -> dict[str, str]:
    """Return path to code of a page in docs/developers."""
    return dict(_BLOCK.findall((ROOT / "docs" / "developers" / page).read_text(encoding="utf-8")))


def copy_tree(folder: Path, *more: str) -> Path:
    """Copy the product to a folder; bytecode is copied too, so that no process compiles the files again."""
    for part in ("app", "scheduler", "labs", "resources", *more):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.png", "*.pyc.*"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def merge_lines(file: Path, code: str) -> None:
    """Put a page's lines into a file: an assignment replaces that of the same name, an import is the last import."""
    text = file.read_text(encoding="utf-8")
    for line in filter(None, code.splitlines()):
        if line.startswith(("from ", "import ")):
            head, end, tail = text.rpartition("\nfrom ")
            text = f"{head}{end}{tail.partition(chr(10))[0]}\n{line}\n{tail.partition(chr(10))[2]}"
            continue
        start = f"\n{line.partition(' = ')[0]} = "
        assert text.count(start) == 1, f"{file.name} has no line that begins with {start!r}"
        head, _, tail = text.partition(start)
        text = f"{head}\n{line}\n{tail.partition(chr(10))[2]}"
    file.write_text(text, encoding="utf-8")


def changed_lines(tree: Path) -> dict[str, int]:
    """Return file to number of new lines, for files of the product that differ in a copy; new files are not counted."""
    found: dict[str, int] = {}
    for part in ("app", "scheduler", "labs", "resources"):
        for path in (ROOT / part).rglob("*"):
            name = path.relative_to(ROOT)
            if path.suffix in {".py", ".j2", ".json"} and (tree / name).read_bytes() != path.read_bytes():
                before = path.read_text(encoding="utf-8").splitlines()
                after = (tree / name).read_text(encoding="utf-8").splitlines()
                found[str(name)] = sum(1 for line in after if line not in before)
    return found


def new_folders(tree: Path) -> set[str]:
    """Return the folders of new Python files in a copy."""
    names = (path.relative_to(tree) for part in ("app", "scheduler") for path in (tree / part).rglob("*.py"))
    return {str(name.parent) for name in names if not (ROOT / name).exists()}


def run_python(tree: Path, home: Path, *words: str, typed: str = "") -> tuple[str, str]:
    """Run Python in a copy; return its output and its messages."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "DOMTUNE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tree,
        env=environment,
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr}"
    return done.stdout, done.stderr

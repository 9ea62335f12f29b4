"""Rules of docstrings that ruff does not know: length and opening of the first line, arguments, units, the glossary."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("scheduler", "app", "labs")
MOST_LETTERS = 80
OPENINGS = re.compile(r"(What|Who|Whoever|Whether|How|Which|That|Where|Whose)\b")
RETIRED = re.compile(
    r"\b(told|tells?|said|says?|besides?|stands?|stood|anew|likewise|whoever|nobody|everybody|somebody|puts? back"
    r"|putting back|gives? back|given back|takes? back|taken back|whence|whither|held back|holds back|mended|broke off"
    r"|dead-man|became of)\b",
    re.IGNORECASE,
)
"""Words that the glossary replaces."""
QT_NAMES = {"data", "paint", "event"}
"""Methods of Qt without a capital letter."""
UNIT_SUFFIX = re.compile(r"(^|_)(s|ms|us|ns|pct|frac|tps|bytes|px|pt|mhz|mb|gb|hz|rows|cpus|ratio)$")
UNIT_WORD = re.compile(
    r"second|minute|hour|\b(ms|us|s)\b|%|fraction|\.\.|[<>]|byte|pixel|ratio|logarithm|\bln\b|share|rate|CPU|MHz|point"
    r"|factor|infinit|logarithm|number|times|position|axis|scale|coordinate|probability|unit|unused",
    re.IGNORECASE,
)
"""Words by which a description of a number names its unit, its range or its shape."""


class Docstring(NamedTuple):
    """A docstring with its place and, of a function, its arguments."""

    place: str
    name: str
    text: str
    public: bool
    arguments: tuple[tuple[str, str], ...]
    is_function: bool

    @property
    def items(self) -> dict[str, str]:
        """The described arguments and attributes."""
        return dict(re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", self.text, re.MULTILINE))


@cache
def docstrings() -> tuple[Docstring, ...]:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(each for path in paths for each in _docstrings_of(path))


def _docstrings_of(path: Path) -> Iterator[Docstring]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    place = str(path.relative_to(ROOT))
    if text := ast.get_docstring(tree):
        yield Docstring(place, path.stem, text, True, (), is_function=False)
    yield from _within(tree, place, public=True)


def _within(node: ast.AST, place: str, *, public: bool) -> Iterator[Docstring]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            shown = public and not child.name.startswith("_")
            if text := ast.get_docstring(child):
                is_function = not isinstance(child, ast.ClassDef)
                yield Docstring(f"{place}:{child.lineno}", child.name, text, shown, _arguments(child), is_function)
            if isinstance(child, ast.ClassDef):
                yield from _within(child, place, public=shown)


def _arguments(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[tuple[str, str], ...]:
    if isinstance(node, ast.ClassDef):
        fields = (each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name))
        return tuple((each.target.id, ast.unparse(each.annotation)) for each in fields)
    every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    named = (each for each in every if each.arg not in ("self", "cls"))
    return tuple((each.arg, ast.unparse(each.annotation) if each.annotation else "") for each in named)


def test_first_line_of_a_docstring_has_at_most_80_letters() -> None:
    first = {each.place: each.text.partition("\n")[0] for each in docstrings()}
    assert len(first) > 5_000
    assert {place: line for place, line in first.items() if len(line) > MOST_LETTERS} == {}


def test_docstring_names_its_subject_first() -> None:
    assert [f"{each.place} {each.text[:40]}" for each in docstrings() if OPENINGS.match(each.text)] == []


def test_docstring_has_no_retired_word() -> None:
    found = []
    for each in docstrings():
        prose = re.sub(r"`[^`]*`", "", re.sub(r"^( +)\w+:", r"\1", each.text, flags=re.MULTILINE))
        found += [f"{each.place} {word[0]}" for word in RETIRED.finditer(prose)]
    assert found == []


def test_docstring_of_a_function_describes_its_arguments() -> None:
    """A method needs no `Args:` where a protocol or base class describes the arguments of a method of that name."""
    described = {each.name for each in docstrings() if "Args:" in each.text}
    missing = [
        f"{each.place} {each.name}"
        for each in docstrings()
        if each.is_function and each.public and len(each.arguments) > 1 and "Args:" not in each.text
    ]
    ours = [each for each in missing if (name := each.split()[1]) == name.lower() and name not in QT_NAMES]
    assert [each for each in ours if each.split()[1] not in described] == []


def test_description_of_a_number_names_its_unit() -> None:
    wrong = [
        f"{each.place} {each.name}.{name}: {each.items[name]}"
        for each in docstrings()
        for name, kind in each.arguments
        if each.public and kind in ("float", "float | None") and name in each.items
        if not UNIT_SUFFIX.search(name) and not UNIT_WORD.search(each.items[name])
    ]
    assert wrong == []

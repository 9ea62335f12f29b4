"""The words of pages and texts: none that the glossary retires, and sentences that are easy to read."""

import ast
import importlib.util
import re
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
RETIRED_LEFT = {"app": 0, "labs": 0, "scheduler": 2, "docs": 0, "decisions": 0}
"""Retired words that are left in each folder, exactly. The two are words of SQL."""
SOURCE_TREE_ONLY = re.compile(
    r"\b(packaging|tests|labs|docs)/\w|\.venv\b|\bMakefile\b|\bmake (bench|lab|libvirt|run|setup|sweep|test)\b"
)
"""Paths and targets that an installed copy does not have."""
MOST_LONG_PCT = {"pages": 8.0, "texts": 3.0}


@cache
def _counter() -> ModuleType:
    """Return `packaging/count_words.py`; the folder is no package."""
    spec = importlib.util.spec_from_file_location("count_words", ROOT / "packaging" / "count_words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _figures(of: str) -> dict[str, float]:
    texts = _counter().user_pages() if of == "pages" else _counter().texts_for_people()
    return _counter().count_per_10000(texts)


@cache
def _strings(folder: str) -> list[tuple[str, str]]:
    """Return place and text of the strings with a space in a folder of Python files, without docstrings."""
    found = list[tuple[str, str]]()
    for path in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found += [
            (f"{path.relative_to(ROOT)}:{node.lineno}", node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
            if id(node) not in bare
        ]
    return found


def _texts_of(folder: str) -> list[tuple[str, str]]:
    if folder == "docs":
        return [*_counter().user_pages().items()]
    if folder == "decisions":
        pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
        return [(page.name, page.read_text(encoding="utf-8").partition("\n")[0]) for page in pages]
    return _strings(folder)


@pytest.mark.parametrize("folder", RETIRED_LEFT)
def test_texts_of_a_folder_use_no_retired_word(folder: str):
    retired = _counter().retired_words()
    found = Counter({place: len(retired.findall(text)) for place, text in _texts_of(folder)})
    left = found.total()
    most = "\n".join(f"{count} in {place}" for place, count in found.most_common(20) if count)
    assert left <= RETIRED_LEFT[folder], f"{left} retired words, see resources/glossary.toml:\n{most}"
    assert left == RETIRED_LEFT[folder], f"only {left} retired words are left: lower RETIRED_LEFT[{folder!r}]"


@pytest.mark.parametrize("folder", ["app", "scheduler"])
def test_texts_of_a_folder_name_nothing_outside_the_package(folder: str):
    assert [place for place, text in _strings(folder) if SOURCE_TREE_ONLY.search(text)] == []


def test_pages_address_the_reader_and_give_examples():
    figures = _figures("pages")
    assert figures["for example"] >= 5
    assert figures["you"] >= 58


@pytest.mark.parametrize("of", ["pages", "texts"])
def test_sentences_are_short(of: str):
    assert _figures(of)["long sentences, %"] <= MOST_LONG_PCT[of]


def test_no_hint_of_the_window_begins_with_empty():
    assert [place for place, text in _strings("app") if text.lower().startswith("empty: ")] == []

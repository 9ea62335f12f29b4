"""Syntax trees of the product's modules, parsed once per process for all tests that look at them."""

import ast
import functools
import gc
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


@functools.cache
def _texts(folder: str) -> tuple[tuple[str, str], ...]:
    paths = sorted((ROOT / folder).rglob("*.py"))
    return tuple((str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in paths)


@functools.cache
def _parse_module(text: str) -> ast.Module:
    tree = ast.parse(text)
    gc.freeze()  # the trees stay until the end: no collection has to look through them
    return tree


def sources(*folders: str, words: Collection[str] = ()) -> Iterator[tuple[str, ast.Module]]:
    """Yield file and syntax tree of modules.

    Args:
        folders: Folders of the project, with those below them.
        words: Only modules whose text has one of these are parsed; all modules if empty.
    """
    for folder in folders:
        for name, text in _texts(folder):
            if not words or any(word in text for word in words):
                yield name, _parse_module(text)

"""One sign for "and so on" and "asks first": the ellipsis of the letters, never three dots."""

import ast
from collections.abc import Iterator

from tests.product_sources import sources

_TRANSLATORS = ("_", "ngettext")


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string that people read: what is handed to a translator."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in _TRANSLATORS:
            words = (node for part in call.args for node in ast.walk(part) if isinstance(node, ast.Constant))
            yield from ((node.lineno, node.value) for node in words if isinstance(node.value, str))


def test_no_text_of_the_window_has_three_dots():
    found = [
        f"{name}:{line}: {text!r}"
        for name, tree in sources("app", words=("...",))
        for line, text in _texts(tree)
        if "..." in text
    ]
    assert found == []

"""One sign for "and so on" and "asks first": the ellipsis of the letters, never three dots."""

import ast
from collections.abc import Iterator
from pathlib import Path

import app

_APP = Path(app.__file__).parent
_TRANSLATORS = ("tr", "_tr", "translate", "QT_TRANSLATE_NOOP")


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string that people read: what is handed to a translator."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in _TRANSLATORS:
            words = (node for part in call.args for node in ast.walk(part) if isinstance(node, ast.Constant))
            yield from ((node.lineno, node.value) for node in words if isinstance(node.value, str))


def test_no_text_of_the_window_has_three_dots():
    found = [
        f"{path.relative_to(_APP)}:{line}: {text!r}"
        for path in sorted(_APP.rglob("*.py"))
        for line, text in _texts(ast.parse(path.read_text(encoding="utf-8")))
        if "..." in text
    ]
    assert found == []

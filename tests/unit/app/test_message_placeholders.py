"""Messages of the window: literal texts for translators, with named placeholders that `.format` fills."""

import ast
import re
import string
from collections.abc import Iterator

import pytest

from tests.product_sources import sources

_TRANSLATORS = ("_", "ngettext")
NOT_TRANSLATED = {
    "scheduler/hosts/fake.py",  # a host for tests
    "scheduler/hosts/remote/guard_program.py",  # faults of the program itself, here and in the next lines
    "scheduler/hosts/xapi/tls_sockets.py",
    "scheduler/model/load_kind.py",
    "scheduler/run/reporter.py",
    "scheduler/store/run_rows.py",
    "scheduler/loads/brokerage/read_transactions.py",  # rows of DomTune's own tables that are wrong, here and below
    "scheduler/loads/brokerage/write_transactions.py",
    "scheduler/loads/order_entry/steps.py",
}
"""Files whose sentences are no messages."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_Known = dict[str, frozenset[str]]


def _messages(node: ast.AST) -> Iterator[str]:
    """Yield the texts in a node that go to a translator."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in _TRANSLATORS and call.args:
            text = call.args[-1]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield text.value


def _placeholders(message: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(message) if name is not None}


def _own_messages(value: ast.AST) -> set[str]:
    """Return the messages that a value is: one call, or the branches of a condition."""
    if isinstance(value, ast.IfExp):
        return _own_messages(value.body) | _own_messages(value.orelse)
    return set(_messages(value)) if isinstance(value, ast.Call) and not _is_format(value) else set()


def _is_format(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format"


def _unfilled(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and message of each `.format` that does not fill all placeholders of its message."""
    for function in (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)):
        yield from _unfilled_in_block(function.body, {})


def _unfilled_in_block(block: list[ast.stmt], known: _Known) -> Iterator[tuple[int, str]]:
    """Go through statements in order; `known` has the messages that each local name can hold, and is updated."""
    for statement in block:
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            continue  # a function of its own
        for header in ast.iter_child_nodes(statement):
            if isinstance(header, ast.expr | ast.withitem):
                yield from _unfilled_calls(header, known)
        yield from _unfilled_in_branches(_inner_blocks(statement), known)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            known[statement.targets[0].id] = frozenset(_own_messages(statement.value))
        if isinstance(statement, ast.If) and statement.orelse:  # one of the two branches is taken
            known.update(_drop_replaced([statement.body, statement.orelse]))


def _inner_blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    parts = (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
    return [block for block in (*blocks, *(part.body for part in parts)) if block]


def _unfilled_in_branches(blocks: list[list[ast.stmt]], known: _Known) -> Iterator[tuple[int, str]]:
    """Go through each block with the names known before; a block that does not leave adds its names."""
    before = dict(known)
    for block in blocks:
        branch = dict(before)
        yield from _unfilled_in_block(block, branch)
        if not isinstance(block[-1], _ENDS):
            known.update({name: known.get(name, frozenset()) | texts for name, texts in branch.items()})


def _drop_replaced(branches: list[list[ast.stmt]]) -> _Known:
    """Return the names that both branches assign, with the messages of the branches only."""
    assigned: list[_Known] = [{}, {}]
    for branch, found in zip(branches, assigned, strict=True):
        for node in branch:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found[node.targets[0].id] = frozenset(_own_messages(node.value))
    both = assigned[0].keys() & assigned[1].keys()
    return {name: assigned[0][name] | assigned[1][name] for name in both}


def _unfilled_calls(part: ast.AST, known: _Known) -> Iterator[tuple[int, str]]:
    for call in (node for node in ast.walk(part) if _is_format(node)):
        given = {keyword.arg for keyword in call.keywords}
        owner = call.func.value
        texts = known.get(owner.id, frozenset()) if isinstance(owner, ast.Name) else _own_messages(owner)
        if None not in given:  # ** of a mapping
            yield from ((call.lineno, text) for text in texts if not _placeholders(text) <= given)


def test_format_fills_every_placeholder_of_its_message():
    found = [f"{name}:{line}: {text!r}" for name, tree in sources("app", "scheduler") for line, text in _unfilled(tree)]
    assert found == []


def test_placeholders_have_names():
    texts = {text for _, tree in sources("app", "scheduler") for text in _messages(tree)}
    assert [text for text in texts if any(name[:1].isdigit() or not name for name in _placeholders(text))] == []


def test_no_message_is_a_piece_that_is_joined_by_its_blanks():
    texts = {text for _, tree in sources("app") for text in _messages(tree)}
    assert sorted(text for text in texts if text != text.strip()) == []


@pytest.mark.parametrize(
    "code",
    [
        "def f(n):\n    return _('{n} of {all}').format(n=n)",
        "def f(n):\n    text = _('{n}') if n else _('{m}')\n    return text.format(n=n)",
        "def f(n):\n    if _('{n} of {all}').format(n=n):\n        return n",
    ],
)
def test_missing_placeholder_is_found(code: str):
    assert len(list(_unfilled(ast.parse(code)))) == 1


def test_no_message_is_added_to_another_text():
    found = [
        f"{name}:{node.lineno}"
        for name, tree in sources("app")
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
        if _own_messages(node.left) or _own_messages(node.right)
    ]
    assert found == []


_SHOWS = (
    "setText",
    "setToolTip",
    "setWindowTitle",
    "setAccessibleName",
    "setPlaceholderText",
    "make_label",
    "say",
    "offer",
)


def _bare_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of sentences that people would read, and that are no messages."""
    for node in ast.walk(tree):
        shown: list[ast.AST] = []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            shown = [*node.exc.args, *(word.value for word in node.exc.keywords if word.arg == "hint")]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _SHOWS:
            shown = list(node.args)
        for value in shown:
            parts = value.values if isinstance(value, ast.JoinedStr) else [value]
            text = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
            if isinstance(value, ast.JoinedStr | ast.Constant) and len(re.findall(r"\b[a-z]{3,}\b", text)) >= 3:
                yield value.lineno, text


def test_sentences_for_people_are_messages():
    found = [
        f"{name}:{line}: {text}"
        for name, tree in sources("app", "scheduler")
        for line, text in _bare_texts(tree)
        if name not in NOT_TRANSLATED
    ]
    assert found == []

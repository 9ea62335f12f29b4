"""A third kind of load: record and files of docs/developers/add-a-load.md, which the laws follow to the letter."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.widgets.themed_plot import add_symbol
from scheduler.model import load_kinds, load_looks
from scheduler.model.load_kind import LoadKind, index_kinds
from scheduler.model.parameters import Parameter
from tests.guide_page import copy_tree, read_blocks

REGISTRY = "scheduler/model/load_kinds.py"


def files_of_the_page() -> dict[str, str]:
    """Return path to code, as the page has them; of the registry only the new record."""
    return read_blocks("add-a-load.md")


def third_kind() -> LoadKind:
    """Return the page's record."""
    code = files_of_the_page()[REGISTRY].strip().removesuffix(",")
    return eval(code, {"LoadKind": LoadKind, "Parameter": Parameter, "load_looks": load_looks})


@contextmanager
def registered(monkeypatch) -> Iterator[LoadKind]:
    """Have the page's kind in this process's registry; its modules are not there."""
    kind = third_kind()
    with monkeypatch.context() as patch:
        patch.setattr(load_kinds, "LOAD_KINDS", load_kinds.LOAD_KINDS)
        patch.setitem(load_kinds.LOAD_KINDS, kind.name, kind)
        index_kinds(load_kinds.LOAD_KINDS.values())  # the page's record is one that could stand there
        add_symbol(kind.marker)
        yield kind


def tree_with_the_kind(folder: Path) -> Path:
    """Copy the product and do to the copy what the page says; return where it is."""
    copy_tree(folder, "tests", "packaging", "docs")
    for path, code in files_of_the_page().items():
        target = folder / path
        if path == REGISTRY:
            before = target.read_text(encoding="utf-8")
            head, end, tail = before.rpartition('    )\n)\n"""Name to kind')
            assert end, "the registry does not end as it did"
            target.write_text(head + code + end + tail, encoding="utf-8")
            continue
        target.parent.mkdir(exist_ok=True)
        target.write_text(code, encoding="utf-8")
    return folder

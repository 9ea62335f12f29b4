"""Generated blocks of a page: text between `<!-- NAME begins -->` and `<!-- NAME ends -->`."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"


def replace_block(page: str, name: str, text: str) -> str:
    """Return the page with a new text in one block.

    Args:
        page: Text of the page.
        name: Name of the block, which occurs once.
        text: New text, without the marks.

    Raises:
        ValueError: The page does not have the block exactly once.
    """
    begin, end = f"<!-- {name} begins -->\n", f"<!-- {name} ends -->\n"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"the page needs the block {name!r} exactly once")
    head, rest = page.split(begin)
    return f"{head}{begin}\n{text.strip()}\n\n{end}{rest.split(end)[1]}"


def list_blocks(page: str) -> list[str]:
    """Return the names of all blocks of a page, in order."""
    return re.findall(r"<!-- (.+) begins -->", page)


def make_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown.

    Args:
        heads: Heading of each column.
        rows: Cells of each row; `|` and `<` are escaped.
    """
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"

"""Generator of the tables in docs/reference/plan-file.md, from the plan keys."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from page_blocks import replace_block

from scheduler.model.load_kind import LoadKind
from scheduler.model.load_kinds import LOAD_KINDS, TUPLES_PARAMETER
from scheduler.model.parameters import Parameter
from scheduler.model.plan_fields import PLAN_TABLES, WEIGHT, PlanTable

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "plan-file.md"
_HEAD = "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n"
_TYPES = {bool: "true or false", int: "integer", float: "number", str: "text"}
_TABLE = re.compile(r"^\|.*\n(?:\|.*\n)+", re.MULTILINE)


def build_page(page: str) -> str:
    """Return the page with a new first table under the heading of each plan table."""
    for table in PLAN_TABLES.values():
        brackets = "[[{}]]" if table.many else "[{}]"
        heading = f"## `{brackets.format(table.name)}`\n" if table.name else "## Top level\n"
        start = page.index(heading)
        found = _TABLE.search(page, page.index("| key |", start))
        assert found is not None  # noqa: S101
        page = page[: found.start()] + _HEAD + "".join(_list_rows(table)) + page[found.end() :]
    return replace_block(page, "load kinds", "\n".join(_describe_kinds()))


def _describe_kinds() -> Iterable[str]:
    """Yield a section for all kinds with the same parameters."""
    alike: dict[tuple[Parameter, ...], list[LoadKind]] = {}
    for kind in LOAD_KINDS.values():
        alike.setdefault(kind.parameters, []).append(kind)
    for parameters, kinds in alike.items():
        yield f"### {' and '.join(f'`{kind.name}`' for kind in kinds)}\n"
        counts = dict.fromkeys(f"{kind.counts}, in {kind.unit}" for kind in kinds)
        yield f"Rate: {'; '.join(counts)}. Runs on {' or '.join(kinds[0].databases)}.\n"
        yield _HEAD + "".join(map(_row, parameters))


def _list_rows(table: PlanTable) -> Iterable[str]:
    for key in table.keys:
        if key.name != TUPLES_PARAMETER.name:
            yield _row(key)
    if table.name == "objective":
        yield _row(WEIGHT)


def _row(key: Parameter) -> str:
    where = f" Only {key.applies}." if key.applies else ""
    only = f" Only on {', '.join(key.databases)}." if key.databases else ""
    more = f" [More]({key.more})" if key.more else ""
    meaning = f"{key.help.rstrip('.')}.{where}{only}{more}".replace("|", "\\|").replace("<", "&lt;")
    kind = f"list of {_TYPES[key.kind]}s" if key.many else "table of numbers" if key is WEIGHT else _TYPES[key.kind]
    return f"| `{key.name}` | {kind} | {_default_text(key)} | {_allowed_text(key)} | {meaning} |\n"


def _default_text(key: Parameter) -> str:
    if key.required:
        return "none, required"
    if key.default_text:
        return key.default_text
    if key.default == "":
        return "empty"
    return f"`{str(key.default).lower()}`" if isinstance(key.default, bool | str) else f"{key.default:.10g}"


def _allowed_text(key: Parameter) -> str:
    if key.choices:
        return ", ".join(f"`{choice}`" for choice in key.choices)
    if key.kind is str:
        return f"one printable line, at most {key.longest:,} letters" if key.checked else ""
    if key.kind is bool:
        return ""
    step = f", a multiple of {key.step}" if key.step > 1 else ""
    return f"{key.low:.10g} to {key.high:.10g}{step}"


def main() -> int:
    """Write the page and print its path."""
    PAGE.write_text(build_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())

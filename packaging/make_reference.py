"""Generator of tables in docs/reference from declarations: host URLs, environment variables, results and documents."""

import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping

import msgspec
from page_blocks import REFERENCE, make_table, replace_block

from scheduler import places
from scheduler.export.change_ticket import split_ticket
from scheduler.model import documents, observation_documents, queueing, results
from scheduler.model.base_answer import BaseAnswer
from scheduler.model.decision import SweepDecision
from scheduler.model.host_kinds import HOST_KINDS

_RESULTS = {
    "Results": results.Results,
    "points": results.MeasuredPoint,
    "settling": results.SettlingTime,
    "answer": BaseAnswer,
    "answer of split": results.Recommendation,
    "decision": SweepDecision,
    "proposal": results.SplitProposal,
    "regret": results.RegretRow,
    "model": queueing.QueueModel,
}
_RUN = (
    *(documents.RunStarted, documents.LoadsReady, documents.StateChanged, documents.TrialStarted),
    *(documents.LoadSample, documents.HostSample, documents.TrialDone, documents.HostCommand),
    *(documents.DecisionSoFar, documents.LoadChecked, documents.Notice, documents.RunStopped),
)
_OBSERVATION = (
    *(observation_documents.ObservationStarted, observation_documents.FollowStarted),
    *(observation_documents.ObservationWindow, observation_documents.FollowMove, observation_documents.FollowAudit),
    *(observation_documents.FollowHold, observation_documents.FollowPeriod),
    *(observation_documents.WatchResult, observation_documents.FollowDone),
)
_NAMES = {str: "text", bool: "bool", int: "integer", float: "number", type(None): "null"}


def build_results(page: str) -> str:
    """Return the page of the results with a new table for each struct."""
    for name, struct in _RESULTS.items():
        base = BaseAnswer if struct is results.Recommendation else None
        page = replace_block(page, name, _fields_table(struct, base))
    return page


def build_documents(page: str) -> str:
    """Return the page of the documents with new tables."""
    for name, structs in (("run", _RUN), ("observation", _OBSERVATION)):
        page = replace_block(page, name, make_table(("`$`", "meaning", "fields"), map(_document_row, structs)))
    return page


def build_places(page: str) -> str:
    """Return the page of folders with a new table of environment variables."""
    rows = ((f"`{name}`".replace(", ", "`, `"), text) for name, text in places.ENVIRONMENT.items())
    return replace_block(page, "environment variables", make_table(("variable", "meaning"), rows))


def build_ticket(page: str) -> str:
    """Return the page about safety with the text of a ticket that sets a split."""
    rows = split_ticket("SPLIT", "GUEST", "HOST", "DECISION", "RUN")
    lines = (f"{name + ':':<12}{text}" for name, text in rows)
    return replace_block(page, "ticket of a split", "\n".join(("```text", *lines, "```")))


def build_hosts(page: str) -> str:
    """Return the page of the plan file with a new table of host URLs."""
    rows = ((f"`{url}`", text) for kind in HOST_KINDS.values() for url, text in kind.example.items())
    return replace_block(page, "host URLs", make_table(("URL", "host"), rows))


SAFETY = "../explanation/safety.md"
PAGES: Mapping[str, Callable[[str], str]] = {
    "results-schema.md": build_results,
    "documents.md": build_documents,
    "places.md": build_places,
    "plan-file.md": build_hosts,
    SAFETY: build_ticket,
}
"""Name of a page to the function that renews its blocks."""


def _fields_table(struct: type[msgspec.Struct], base: type[msgspec.Struct] | None) -> str:
    described = _attributes(struct)
    hints = typing.get_type_hints(struct)
    without = set(base.__struct_fields__) if base else set()
    rows = [
        (f"`{written}`", _type_name(hints[name]), described[name])
        for name, written in zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True)
        if name not in without
    ]
    return make_table(("field", "type", "meaning"), rows)


def _attributes(struct: type) -> dict[str, str]:
    found = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", inspect.getdoc(struct) or "", re.MULTILINE)
    return {name: _in_json(" ".join(text.split())) for name, text in found}


def _in_json(text: str) -> str:
    text = re.sub(r"\b(None|True|False)\b", lambda word: "null" if word[0] == "None" else word[0].lower(), text)
    return text.rstrip(".") if text.count(".") == 1 else text


def _document_row(struct: type[msgspec.Struct]) -> tuple[str, str, str]:
    first = " ".join((inspect.getdoc(struct) or "").split("\n\n")[0].split())
    fields = (name for name in struct.__struct_encode_fields__ if name != "t_s")
    return f"`{struct.__struct_config__.tag}`", first, ", ".join(f"`{name}`" for name in fields)


def _type_name(hint: object) -> str:
    if typing.get_origin(hint) is typing.Annotated:
        return _type_name(typing.get_args(hint)[0])
    parts = typing.get_args(hint)
    if typing.get_origin(hint) in {types.UnionType, typing.Union}:
        return " or ".join(sorted({_type_name(part) for part in parts}, key=lambda name: name == "null"))
    if typing.get_origin(hint) is tuple:
        return "list" if parts[-1] is Ellipsis else "[low, high]" if parts == (float, float) else "list"
    if isinstance(hint, type):
        return _NAMES.get(hint) or ("text" if issubclass(hint, str) else "object")
    return "object"


def main() -> int:
    """Write the pages and print their paths."""
    for name, build in PAGES.items():
        path = REFERENCE / name
        path.write_text(build(path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())

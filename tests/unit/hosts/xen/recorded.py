"""Hosts whose toolstack prints what was recorded, or what a test writes."""

import re
from pathlib import Path

from scheduler.hosts.remote.guard_state import GuardState
from scheduler.hosts.remote.shell import CommandResult
from scheduler.hosts.xen.describe import describe_xen
from scheduler.hosts.xen.domain_choice import choose_domains
from scheduler.hosts.xen.domain_view import build_domain_view
from scheduler.hosts.xen.host_survey import survey_host
from scheduler.toolstacks.grammar_lookup import find_grammar

FOLDER = Path(__file__).resolve().parents[3] / "recorded_xl"
_MARK = re.compile(r"domtune-[0-9a-f]{16}")
# The longer command first: its words hold those of the shorter one.
_FILES = {
    "list -v -c": "list-vc",
    "list -v": "list-v",
    "vcpu-list": "vcpu-list",
    "cpupool-list -c": "cpupool-list-c",
    "cpupool-list": "cpupool-list",
    "dmesg": "dmesg",
    "info": "info",
}


def recorded(case):
    """Return what the toolstack of a recorded host prints, by the name of its file."""
    return {path.name: path.read_text(encoding="utf-8", errors="replace") for path in (FOLDER / case).iterdir()}


class Replaying:
    """A shell on a host whose commands print recorded texts."""

    where = "root@xen1"

    def __init__(self, texts):
        self._texts = texts

    def run(self, argv, *, timeout_s=20.0, stdin=""):
        mark = _MARK.search(argv[-1])
        if mark is None:
            return CommandResult(0, self._text(" ".join(argv)), "")
        parts = argv[-1].split(f"echo {mark[0]} >&2")[:-1]
        return CommandResult(
            0, "".join(f"{self._text(part)}{mark[0]} 0\n" for part in parts), f"{mark[0]}\n" * len(parts)
        )

    def _text(self, command):
        if "id -u" in command:
            return "0\n"
        text = next((self._texts.get(file, "") for words, file in _FILES.items() if words in command), "")
        return text if isinstance(text, str) else next(text)  # an iterator: one text for each call


def look(texts, guest="", io="", read=True):
    """Return the facts of a host; `guest` and `io` as a plan names them."""
    found = survey_host(Replaying(texts))
    view = build_domain_view(found, *choose_domains(found.domains, io, guest, "xen1"))
    grammar = find_grammar(view.guest.scheduler)
    table = texts.get(f"sched-{view.guest.scheduler}", "")
    now = {seen.row.name: grammar.parse(table, seen.row.domid, seen.all) for seen in view.domains} if read else {}
    return describe_xen("xl+ssh://root@xen1", view, now, table, GuardState("xen1"))

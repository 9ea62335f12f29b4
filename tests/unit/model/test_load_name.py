"""Names of loads keep kind and mix on every way, and no module reads them out of the text."""

import re
from pathlib import Path

import pytest

from scheduler.model.codec import decode_document, encode_json, encode_line
from scheduler.model.documents import LoadChecked
from scheduler.model.load_name import LoadName, group_by_mix

ROOT = Path(__file__).resolve().parents[3]
ALONE, MIXED = LoadName("osdb-ir"), LoadName("osdb-ir", "noon")
SPLITS_AT_SLASH = re.compile(r"\.r?(?:split|partition)\(\s*[\"']/[\"']")
SPLITTERS = {
    "app/wizard/host_kinds.py": "URLs",
    "app/wizard/plan_texts.py": "control groups",
    "scheduler/model/urls.py": "URLs",
    "scheduler/export/bundle_local.py": "control groups",
    "scheduler/hosts/xen/toolstack_access.py": "paths of programs",
    "scheduler/hosts/xen/commands.py": "paths of programs",
    "scheduler/hosts/remote/guard_helper.py": "paths of programs",
    "scheduler/commands/desktop_command.py": "paths of files",
    "scheduler/store/results_file.py": "the schema of results",
    "scheduler/run/undo_record.py": "the format of undo records",
}
"""Module to the text that it splits."""


def test_load_name_is_its_key():
    assert (ALONE, MIXED) == ("osdb-ir", "noon/osdb-ir")
    assert (LoadName.of(MIXED).mix, LoadName.of("osdb-ir").kind) == ("noon", "osdb-ir")


@pytest.mark.parametrize(("name", "json"), [(ALONE, b'"osdb-ir"'), (MIXED, b'{"kind":"osdb-ir","mix":"noon"}')])
def test_load_name_survives_the_wire(name, json):
    assert encode_json(name) == json
    found = decode_document(encode_line(LoadChecked(t_s=1.0, load=name, passed=True, text="")))
    assert isinstance(found, LoadChecked)
    assert (found.load, found.load.kind, found.load.mix) == (name, name.kind, name.mix)


def test_group_by_mix_keeps_equal_kinds_apart():
    other = LoadName("osdb-oltp", "noon")
    assert group_by_mix([MIXED, ALONE, other]) == ((MIXED, other), (ALONE,))


def test_no_module_reads_kind_or_mix_out_of_a_name():
    paths = [path for folder in ("app", "scheduler") for path in (ROOT / folder).rglob("*.py")]
    found = {str(path.relative_to(ROOT)) for path in paths if SPLITS_AT_SLASH.search(path.read_text(encoding="utf-8"))}
    assert found == set(SPLITTERS)

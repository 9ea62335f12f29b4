"""docs/developers/add-a-database.md, followed to the letter in a copy of the source tree, on a real PostgreSQL."""

import json
from pathlib import Path

import pytest

from tests.contract.postgres_fixture import Database
from tests.guide_page import changed_lines, copy_tree, new_folders, read_blocks, run_python

RECORDS = "scheduler/model/databases.py"
# Loads on a database of the page's kind, then everything that asks for the kind of a URL.
USES = """
import json, sys
import msgspec
from app.observe.observation_request import ObservationRequest
from app.wizard.sweep_form import SweepForm
from scheduler.databases.database_registry import create_server, own_password
from scheduler.errors import SchedulerError
from scheduler.model.load import LoadSpec
from scheduler.model.spec import RunSpec
from tests.contract.loads_contract import working
from tests.contract.postgres_fixture import facts_of, small, spec_of
from tests.one_load import open_pool
url, secret = json.load(sys.stdin)
loads = [msgspec.structs.replace(small(kind), database=url) for kind in ("osdb-ir", "osdb-oltp")]
pool = open_pool(spec_of(*loads), facts_of(), "", {url: secret})
pool.preflight()
for kind in ("osdb-ir", "osdb-oltp"):
    pool.prepare(kind)
    pool.start(kind)
    count = sum(second.count for second in working(pool))
    check = pool.stop()
    print(kind, count > 0, check.passed)
pool.close()
server = create_server(url)
print("server:", server.title.partition(" at ")[0], server.url(("h", 1)).partition("//")[0])
for task in (
    lambda: create_server("postgrespro:"),
    lambda: LoadSpec("sysbench", database=url),
    lambda: LoadSpec("osdb-ir", database=url.replace("@", ":secret@")),
    lambda: LoadSpec("osdb-ir", database=url + "?passfile=x"),
):
    try:
        task()
    except SchedulerError as error:
        print("refused:", error)
form = SweepForm()
for load in form.loads.values():
    load |= {"own": "yes", "database": url}
spec = form.to_spec()
print("wizard:", isinstance(spec, RunSpec) and {load.engine for load in spec.loads})
asked = ObservationRequest("local:", "1h", follows=True, database=url, password="secret")
print("follow:", dict(asked.environment), own_password(url) == "")
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the product to which was done what the page says."""
    folder = copy_tree(tmp_path_factory.mktemp("tree"), "tests")
    for path, code in read_blocks("add-a-database.md").items():
        target = folder / path
        if path == RECORDS:
            head, end, tail = target.read_text(encoding="utf-8").rpartition('    )\n}\n"""Name to database')
            assert end, "the records do not end as they did"
            target.write_text(head + code + end + tail, encoding="utf-8")
            continue
        target.parent.mkdir(exist_ok=True)
        target.write_text(code, encoding="utf-8")
    return folder


def test_page_touches_one_file_and_its_folder(tree: Path) -> None:
    assert new_folders(tree) == {"scheduler/databases/postgrespro"}
    assert changed_lines(tree).keys() == {RECORDS}


def test_database_of_the_page_runs_loads(tree: Path, database: Database, tmp_path: Path) -> None:
    url = database.url.replace("postgresql://", "postgrespro://")
    shown, _ = run_python(tree, tmp_path, "-c", USES, typed=json.dumps((url, database.server.password)))
    lines = shown.splitlines()
    assert lines[:2] == ["osdb-ir True True", "osdb-oltp True True"]
    assert lines[2] == "server: Postgres Pro postgresql:"
    refused = [line for line in lines if line.startswith("refused: ")]
    parts = ("starts no Postgres Pro", "sysbench does not run on Postgres Pro", "password", "passfile")
    assert all(part in text for part, text in zip(parts, refused, strict=True)), refused
    assert "secret" not in "".join(refused)
    assert "wizard: {'postgrespro'}" in shown
    assert "follow: {'PGPASSWORD': 'secret'} True" in shown

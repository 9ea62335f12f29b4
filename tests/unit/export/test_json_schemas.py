import functools
from importlib.resources import files

import pytest

from scheduler.export.json_schemas import build_schemas, schema_text
from scheduler.model.codec import decode_document, encode_json, encode_line, make_decoder
from scheduler.model.results import Results
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents

FOLDER = files("resources") / "schema"
NAMES = sorted(path.name.removesuffix(".json") for path in FOLDER.iterdir() if path.name.endswith(".json"))

schemas = functools.cache(build_schemas)


def test_each_schema_has_a_file():
    assert sorted(schemas()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_schema_file_is_what_the_structs_give(name):
    written = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert written == schema_text(schemas()[name]), "run: python packaging/make_schema.py"


@pytest.mark.parametrize("name", sorted({*NAMES} - {"plan-1"}))
def test_every_struct_reports_what_it_is(name):
    for title, part in schemas()[name]["$defs"].items():
        assert title.startswith("_") or part.get("description"), f"{title} has no description"


def test_plan_schema_describes_every_key_and_refuses_others():
    plan = schemas()["plan-1"]
    tables = [plan, *(plan["properties"][name] for name in ("domains", "server", "objective", "clients"))]
    tables += [plan["properties"][name]["items"] for name in ("load", "mix")]
    for table in tables:
        assert table["additionalProperties"] is False
        assert all(key.get("description") or key.get("anyOf") for key in table["properties"].values())
    assert plan["required"] == ["host"]


def test_results_describe_every_field_and_name_their_version():
    parts = schemas()["results-1"]["$defs"]
    for title in ("Results", "MeasuredPoint", "Recommendation", "RegretRow"):
        missing = [
            name for name, field in parts[title]["properties"].items() if not {"description", "enum"} & field.keys()
        ]
        assert not [name for name in missing if name not in {"p95_ms", "p99_ms"}], missing
    assert parts["Results"]["properties"]["schema"]["default"] == "domtune-results/1"


def test_results_have_what_scripts_are_promised():
    parts = schemas()["results-1"]["$defs"]
    promised = {"outcome", "restored", "simulated", "measured_s", "points", "answer"}
    assert promised <= set(parts["Results"]["required"])
    point = {"setting", "load", "mean_tps", "ci95_tps", "cv", "trials", "used_share", "valid", "reason"}
    assert point <= set(parts["MeasuredPoint"]["properties"])
    advice = {"verdict", "setting", "equivalent", "confidence", "gain_frac", "reasons"}
    assert advice <= set(parts["Recommendation"]["properties"])


def test_results_and_documents_survive_the_wire():
    documents = make_documents(repeats=1)
    assert [decode_document(encode_line(document)) for document in documents] == documents
    results = summarise_run(documents)
    assert make_decoder(Results).decode(encode_json(results)) == results

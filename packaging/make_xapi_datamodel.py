"""Extractor of the used part of XAPI's datamodel, for tests of the adapter.

    python packaging/make_xapi_datamodel.py XENAPI_JSON API_ERRORS_ML

XENAPI_JSON is doc/data/xenapi.json and API_ERRORS_ML is ocaml/xapi-consts/api_errors.ml of the xapi project's
repository xen-api (LGPL-2.1-only with a linking exception). Only facts of the interface are extracted: names, types,
numbers of parameters, roles and error codes. Descriptions are text under copyright and are left out.
"""

import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "tests" / "xapi_double" / "datamodel.json"
_CODE = re.compile(r'^let \w+\s*=\s*(?:add_error\s+)?"([A-Z0-9_]+)"', re.MULTILINE)
_ENUM = re.compile(r"enum (\w+)")


def main() -> int:
    """Write the extract and print its path."""
    sys.path.insert(0, str(ROOT))
    from tests.xapi_double import used

    datamodel = {item["name"]: item for item in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))}
    known = _codes(datamodel) | set(_CODE.findall(Path(sys.argv[2]).read_text(encoding="utf-8")))
    lacking = sorted(set(used.CODES) - known)
    if lacking:
        print(f"no such error codes: {', '.join(lacking)}", file=sys.stderr)
        return 1
    classes = {name: _class(datamodel[name], used) for name in sorted({*used.RECORDS, *used.CALLED})}
    slice_ = {
        "source": "the xapi project's xen-api: doc/data/xenapi.json (releases up to 24.10.0), error codes "
        "also from ocaml/xapi-consts/api_errors.ml; made by packaging/make_xapi_datamodel.py",
        "licence": "The source is LGPL-2.1-only with a linking exception. This file holds facts of the interface "
        "alone: names, types, roles, codes; none of its descriptions.",
        "classes": classes,
        "error_codes": sorted(used.CODES),
    }
    TARGET.write_text(json.dumps(slice_, indent=1) + "\n", encoding="utf-8")
    print(TARGET)
    return 0


def _class(item: dict[str, Any], used: ModuleType) -> dict[str, Any]:
    name = item["name"]
    later = used.LATER.get(name, {})
    wanted = [*(used.fields_of(name) if name in used.RECORDS else ()), *used.TRAPS.get(name, ())]
    fields = {field["name"]: field["type"] for field in item["fields"]}
    messages = {message["name"]: message for message in item["messages"]}
    enums = {match for field in wanted for match in _ENUM.findall(fields.get(field, ""))}
    return {
        "fields": {field: fields[field] for field in wanted if field not in later},
        "later_fields": later,
        "enums": {
            enum["name"]: [value["name"] for value in enum["values"]] for enum in item["enums"] if enum["name"] in enums
        },
        "messages": {message: _message(messages[message]) for message in used.messages_of(name)},
    }


def _message(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "params": [parameter["type"] for parameter in message["params"]],
        "result": message["result"][0],
        "errors": sorted(error["name"] for error in message["errors"]),
        "roles": message["roles"],
    }


def _codes(datamodel: dict[str, Any]) -> set[str]:
    return {error["name"] for item in datamodel.values() for message in item["messages"] for error in message["errors"]}


if __name__ == "__main__":
    sys.exit(main())

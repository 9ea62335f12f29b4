"""Generator of resources/schema/*.json, from the structs.

Run this after changing a document of DomTune.
"""

import sys
from pathlib import Path

from scheduler.export.json_schemas import build_schemas, schema_text


def main() -> int:
    """Write every schema file and print its path."""
    folder = Path(__file__).resolve().parent.parent / "resources" / "schema"
    folder.mkdir(exist_ok=True)
    for name, schema in build_schemas().items():
        path = folder / f"{name}.json"
        path.write_text(schema_text(schema), encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())

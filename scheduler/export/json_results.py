"""Results as JSON: the same object that `domtune run --json` prints; schema in resources/schema/results-1.json."""

from pathlib import Path

import msgspec

from scheduler.export.files import write_text
from scheduler.export.material import ExportMaterial


def write_json(material: ExportMaterial, target: Path) -> tuple[Path, ...]:
    """Write the results, indented."""
    text = msgspec.json.format(msgspec.json.encode(material.results), indent=2).decode()
    return (write_text(target, text + "\n"),)

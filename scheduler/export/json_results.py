"""Export of results as JSON, the object that `domtune run --json` prints.

The schema is resources/schema/results-1.json.
"""

from pathlib import Path

import msgspec

from scheduler.export.files import write_text
from scheduler.export.material import ExportMaterial
from scheduler.model.codec import encode_json


def write_json(material: ExportMaterial, target: Path) -> tuple[Path, ...]:
    """Write the results as indented JSON.

    Args:
        material: The sweep.
        target: File of the results.
    """
    text = msgspec.json.format(encode_json(material.results), indent=2).decode()
    return (write_text(target, text + "\n"),)

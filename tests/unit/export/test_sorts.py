"""What a load did of each sort of operation: in the report, on the terminal, in JSON; nowhere where loads have one."""

import msgspec

from scheduler.commands.results_table import results_lines
from scheduler.export.html_report import report_text
from scheduler.export.material import ExportMaterial
from scheduler.model.codec import encode_json
from scheduler.model.operation_kinds import OperationFigures

SORTS = {"new-order": OperationFigures(12_345.4, 2.25, 8.125), "repeated": OperationFigures(3.0)}


def with_sorts(material: ExportMaterial) -> ExportMaterial:
    points = tuple(msgspec.structs.replace(point, sorts=SORTS) for point in material.results.points)
    return msgspec.structs.replace(material, results=msgspec.structs.replace(material.results, points=points))


def test_report_has_a_table_of_them(measured):
    page = report_text(with_sorts(measured))
    assert "Kinds of operations" in page
    assert '<td>new-order</td>\n      <td class="n">12,345</td><td class="n">2.25</td><td class="n">8.12</td>' in page
    assert "Kinds of operations" not in report_text(measured)


def test_terminal_has_them_per_minute_with_their_p95(measured):
    lines = results_lines(with_sorts(measured).results)
    head = lines.index("Operations per minute (p95 in ms):") + 1
    assert lines[head].split() == ["split", "load", "new-order", "repeated"]
    assert lines[head + 1].split()[2:] == ["12,345", "(8.1)", "3"]
    assert not any("p95 in ms" in line for line in results_lines(measured.results))


def test_json_has_them(measured):
    reported = msgspec.json.decode(encode_json(with_sorts(measured).results))
    assert reported["points"][0]["sorts"]["new-order"] == {"per_min": 12_345.4, "p50_ms": 2.25, "p95_ms": 8.125}

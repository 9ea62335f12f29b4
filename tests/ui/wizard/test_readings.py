"""A typed key costs one reading of the plan, and two while a field is wrong: as typed, and with defaults there."""

import pytest
from PySide6.QtWidgets import QLineEdit

from app.wizard import plan_draft
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard import Wizard
from scheduler.model import plan_tables
from scheduler.model.problems import Problems
from scheduler.model.spec import RunSpec

pytestmark = pytest.mark.ui


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets an entry for each plan that is read, and for each plan that becomes a form again."""
    found: list[str] = []
    read, of_spec = plan_draft.read_plan, SweepForm.from_spec.__func__

    def count_reading(values: plan_tables.Values, problems: Problems) -> RunSpec | None:
        found.append("read")
        return read(values, problems)

    def count_form(cls: type[SweepForm], spec: RunSpec) -> SweepForm:
        found.append("back")
        return of_spec(cls, spec)

    monkeypatch.setattr(plan_draft, "read_plan", count_reading)
    monkeypatch.setattr(SweepForm, "from_spec", classmethod(count_form))
    return found


def test_typed_key_costs_one_reading_on_each_page(wizard: Wizard, qtbot, readings: list[str]) -> None:
    domains, _, loads, protocol, review = map(wizard.page_at, range(1, 6))
    fields = {
        1: domains.io_name.edit,
        3: loads.cards["osdb-ir"].inputs.users.edit,
        4: protocol.inputs["seed"].edit,
        5: review.name.edit,
    }
    for index, field in fields.items():
        wizard.go(index)
        protocol.adjust.setChecked(True)
        assert _count_readings(qtbot, field, "7", readings) == ["read"], index


def test_wrong_key_costs_two_readings(wizard: Wizard, qtbot, readings: list[str]) -> None:
    wizard.go(4)
    protocol = wizard.page_at(4)
    protocol.adjust.setChecked(True)
    assert _count_readings(qtbot, protocol.inputs["seed"].edit, "x", readings) == ["read", "read"]


def _count_readings(qtbot, field: QLineEdit, key: str, readings: list[str]) -> list[str]:
    field.clear()
    readings.clear()
    qtbot.keyClicks(field, key)
    return list(readings)

"""The table of what each split becomes on the host."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.display_texts import format_confidence, format_error_percent, format_parameter
from app.widgets.table import Cell, TableData
from app.wizard.plan_texts import tr
from app.wizard.split_rows import SplitRow
from scheduler.model.split import GUEST, IO

_ROLES = (IO, GUEST)
_WHOLE_FRAC = 0.995  # rounding of slices is not worth a sentence


def encoding_table(rows: Sequence[SplitRow]) -> tuple[TableData, str]:
    """Return one row per split with the parameters that differ, and a sentence with those that do not."""
    names = _parameter_names(rows)
    varying = [name for name in names if len(_parameter_values(rows, name)) > 1]
    same = [
        f"{name} {format_parameter(next(iter(_parameter_values(rows, name))))}" for name in names if name not in varying
    ]
    titles = {IO: tr("I/O domain: {parameter}"), GUEST: tr("Guest: {parameter}")}
    headers = (
        tr("Split"),
        tr("I/O domain gets"),
        *(titles[role].format(parameter=name) for name in varying for role in _ROLES),
        tr("Rounding error"),
    )
    note = tr("The same for all: {parameters}.").format(parameters=", ".join(same)) if same else ""
    return TableData(headers, [_encoding_row(row, varying) for row in rows]), " ".join(
        filter(None, (_unused_cpu_text(rows), note))
    )


def _unused_cpu_text(rows: Sequence[SplitRow]) -> str:
    """Say how much of the CPU both domains get together where the hypervisor is left some."""
    total_frac = min((row.encoding.total_frac for row in rows if row.encoding), default=1.0)
    text = tr("Together both get {total} of the CPU at most, so that the hypervisor keeps some; splits divide that.")
    return text.format(total=_share_text(total_frac)) if total_frac < _WHOLE_FRAC else ""


def _parameter_names(rows: Sequence[SplitRow]) -> list[str]:
    found = [name for row in rows if row.encoding for role in _ROLES for name in row.encoding.params[role].rows]
    return list(dict.fromkeys(found))


def _parameter_values(rows: Sequence[SplitRow], name: str) -> set[str]:
    return {row.encoding.params[role].rows.get(name, "") for row in rows if row.encoding for role in _ROLES}


def _encoding_row(row: SplitRow, varying: Sequence[str]) -> tuple[Cell, ...]:
    if row.setting is None or row.encoding is None:
        return row.text, None, *(None for _ in varying for _ in _ROLES), None
    params = row.encoding.params
    values = (format_parameter(params[role].rows.get(name, "")) for name in varying for role in _ROLES)
    return row.text, _share_text(row.setting.split.io_frac), *values, _error_text(row.encoding.rounding_error_frac)


def _share_text(io_frac: float) -> str:
    """Return a share with as many digits as its rounding error."""
    return format_confidence(io_frac)


def _error_text(error_frac: float) -> str:
    return format_error_percent(error_frac) if error_frac else QCoreApplication.translate("wizard", "none")

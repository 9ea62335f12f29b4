"""File dialog for all exports."""

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.settings import Settings
from app.widgets.dialog_layout import show_dialog


def ask_save_path(
    parent: QWidget, title: str, name: str, kinds: Mapping[str, str], then: Callable[[Path], None]
) -> QFileDialog:
    """Ask for a file name in the last used folder, without blocking.

    Args:
        parent: Window below the dialog.
        title: Title of the dialog.
        name: Suggested file name.
        kinds: Name of the format by suffix without dot; the first entry is the default.
        then: Called with the path. The path always has a suffix. The dialog adds a missing suffix before it asks for
            permission to replace an existing file.
    """
    filters = {f"{words} (*.{suffix})": suffix for suffix, words in kinds.items()}
    asking = QFileDialog(parent, title, str(Settings().export_dir))
    # Some native dialogs ask about replacing the typed name and add the suffix afterwards.
    asking.setOption(QFileDialog.Option.DontUseNativeDialog)
    asking.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    asking.setNameFilters(list(filters))
    asking.setDefaultSuffix(next(iter(kinds)))
    asking.filterSelected.connect(lambda kind: asking.setDefaultSuffix(filters[kind]))
    asking.selectFile(name)
    asking.fileSelected.connect(lambda chosen: _use_path(Path(chosen), then))
    show_dialog(asking)
    return asking


def _use_path(path: Path, then: Callable[[Path], None]) -> None:
    Settings().export_dir = path.parent
    then(path)

"""Where to save: one dialog for whatever is saved."""

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.settings import Settings
from app.widgets.dialog_layout import show_dialog


def ask_save_path(
    parent: QWidget, title: str, name: str, kinds: Mapping[str, str], then: Callable[[Path], None]
) -> QFileDialog:
    """Ask for a file's name, in the folder where something was saved last; nothing waits.

    Args:
        parent: Over which the dialog stands.
        title: Its title.
        name: The name that is proposed.
        kinds: Suffix without its dot to what people call that kind; the first is proposed.
        then: Called with the path. It has a suffix: one that was not typed is the chosen kind's, and was there when
            the dialog asked whether a file of that name may be replaced.
    """
    filters = {f"{words} (*.{suffix})": suffix for suffix, words in kinds.items()}
    asking = QFileDialog(parent, title, str(Settings().export_dir))
    # Some desktops' own dialogs ask about the name as it was typed, and the suffix is put behind it afterwards.
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

"""An ampersand in a name is part of it; Qt would take it for the mark of a key, and leave it out."""

import msgspec
import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton, QWidget

from app.core_process import CommandRunner
from app.pages.apply_dialog import ApplyDialog
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.buttons import tool_button
from app.wizard.host_choice import HostChoice
from scheduler.model.split import parse_split
from tests.ui.recorded import recorded_result

pytestmark = pytest.mark.ui
_URL = "xl+ssh://db.example.org/?user=o&port=22"


def _shows(part: QPushButton, name: str) -> bool:
    """Return whether a part shows all of a name, and has no key for it."""
    return name in part.text().replace("&&", "&") and QKeySequence.mnemonic(part.text()).isEmpty()


def test_hosts_used_before_are_named_whole(theme: Theme, home, qtbot):
    settings = Settings()
    settings.remember_host(_URL)
    choice = HostChoice(theme, settings)
    qtbot.addWidget(choice)
    buttons = [button for button in choice.findChildren(QPushButton) if "port=22" in button.text()]
    assert [_shows(button, "user=o&port=22") for button in buttons] == [True]
    with qtbot.waitSignal(choice.typed) as typed:
        buttons[0].click()
    assert typed.args == [_URL]


def test_button_that_applies_names_its_host_whole(theme: Theme, runner: CommandRunner, home, qtbot):
    results = msgspec.structs.replace(recorded_result().results, host_title="R&D box")
    dialog = ApplyDialog(theme, runner, results, parse_split("1:1"))
    qtbot.addWidget(dialog)
    assert _shows(dialog.apply, "Apply to R&D box")


def test_picture_alone_takes_no_key_from_the_name_behind_it(theme: Theme, qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    button = tool_button(theme, "Check R&D again", "refresh", parent=around)
    assert button.shortcut().isEmpty()
    assert (button.accessibleName(), button.toolTip()) == ("Check R&D again", "Check R&D again")

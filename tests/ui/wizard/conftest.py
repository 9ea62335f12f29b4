from pathlib import Path

import pytest

from app.core_process import Runner
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.wizard import Wizard


@pytest.fixture
def host(home: Path) -> str:
    return f"fake:{home / 'host.json'}"


@pytest.fixture
def wizard(theme: Theme, runner: Runner, host: str, qtbot) -> Wizard:
    settings = Settings()
    settings.remember_host(host)
    made = Wizard(theme, settings, runner)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    return made

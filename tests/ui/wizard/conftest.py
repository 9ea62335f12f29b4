from pathlib import Path

import pytest


@pytest.fixture
def host(home: Path) -> str:
    return f"fake:{home / 'host.json'}"

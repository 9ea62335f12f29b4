import pytest


@pytest.fixture(scope="module", autouse=True)
def _forked_cores(forked_cores: None) -> None:
    """Fork the cores that die: each is a real process, and its start makes no difference."""

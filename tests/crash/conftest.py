import pytest


@pytest.fixture(scope="module", autouse=True)
def _forked_cores(forked_cores: None) -> None:
    """What dies is a real core; how it was started makes no difference."""

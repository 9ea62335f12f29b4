"""What holds for the whole suite: it does not begin on what an earlier one left on this computer."""

import pytest
from hypothesis import settings

from tests import leftover_groups
from tests.volume import times

pytest_plugins = ["tests.users_files", "tests.hangs", "tests.collecting", "tests.dropped", "tests.core_server"]

settings.register_profile("suite", deadline=None, max_examples=times(20, 200))  # a busy computer is no fault
settings.load_profile("suite")


def pytest_collection_finish(session: pytest.Session) -> None:
    leftover_groups.refuse(session.items)

"""What holds for the whole suite: it does not begin on what an earlier one left on this computer."""

import pytest

from tests import leftover_groups


def pytest_collection_finish(session: pytest.Session) -> None:
    leftover_groups.refuse(session.items)

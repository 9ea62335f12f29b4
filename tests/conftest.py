"""What holds for the whole suite: it does not begin on what an earlier one left on this computer."""

import os

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.volume import deep, times

os.environ["DOMTUNE_LANGUAGE"] = "en"  # before the import of modules whose constants are texts

pytest_plugins = ["tests.users_files", "tests.hangs", "tests.collecting", "tests.dropped", "tests.core_server"]

settings.register_profile("suite", deadline=None, max_examples=times(12, 200))  # a busy computer is no fault
settings.load_profile("suite")
if not deep():
    # Hypothesis parses each imported module for constants to draw: a tenth of the time of all property tests.
    providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_finish(session: pytest.Session) -> None:
    from tests import leftover_groups

    leftover_groups.refuse(session.items)

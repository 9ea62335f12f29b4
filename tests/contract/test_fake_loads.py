"""The made-up loads obey the laws of loads."""

import time

import pytest

from scheduler.loads.fake import FakeLoads
from tests.contract.loads_contract import LoadsContract


class TestFakeLoads(LoadsContract):
    @staticmethod
    def sorts(kinds):
        return kinds[:1]

    @pytest.fixture
    def loads(self):
        return FakeLoads(lambda domain: 0.5, time.monotonic)

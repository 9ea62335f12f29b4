"""The made-up loads obey the laws of loads."""

import time

import pytest

from scheduler.loads.fake_loads import FakeLoadGenerators
from tests.contract.loads_contract import LoadsContract
from tests.one_load import OneLoad


class TestFakeLoads(LoadsContract):
    @staticmethod
    def sorts(kinds):
        return kinds[:1]

    @pytest.fixture
    def loads(self):
        return OneLoad(FakeLoadGenerators(lambda domain: 0.5, time.monotonic))

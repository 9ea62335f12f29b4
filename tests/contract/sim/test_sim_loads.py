"""The simulated loads obey the laws of loads, here on the real clock."""

import time

import pytest

from scheduler.loads.sim import SimLoads
from scheduler.model.load_kinds import KINDS
from scheduler.sim.builtin import BUILT_IN
from scheduler.sim.world import World
from tests.contract.loads_contract import LoadsContract


class TestSimLoads(LoadsContract):
    @staticmethod
    def sorts(kinds):
        return kinds[:1]

    @pytest.fixture
    def loads(self):
        return SimLoads(World(BUILT_IN, time.monotonic), dict.fromkeys(KINDS, 5))

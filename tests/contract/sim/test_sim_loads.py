"""The simulated loads obey the laws of loads, here on the real clock."""

import time

import pytest

from scheduler.loads.simulated_loads import SimulatedLoads
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.simulated_machine import SimulatedMachine
from tests.contract.loads_contract import LoadsContract
from tests.one_load import OneLoad


class TestSimLoads(LoadsContract):
    @staticmethod
    def sorts(kinds):
        return kinds[:1]

    @pytest.fixture
    def loads(self):
        return OneLoad(SimulatedLoads(SimulatedMachine(BUILT_IN_MACHINE, time.monotonic), list(LOAD_KINDS)))

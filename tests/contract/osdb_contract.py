"""Laws of the osdb loads that hold on every real database in the same words."""

import os
import signal
from collections.abc import Callable

import pytest

from scheduler.errors import LoadDied
from tests.contract.loads_contract import LoadsContract, wait_until
from tests.one_load import OneLoad


class OsdbContract(LoadsContract):
    """Derive from it and provide `loads`, a pool on a server of that kind."""

    def test_dead_user_ends_the_load_by_name(self, running: Callable[[str], OneLoad]) -> None:
        loads = running("osdb-ir")
        os.kill(loads.pids[1], signal.SIGKILL)
        with pytest.raises(LoadDied, match=r"user 1 of osdb-ir died: its process ended \(signal 9\)"):
            wait_until(lambda: loads.poll() is None, "an error")

"""The made-up host obeys the laws of hosts."""

import pytest

from scheduler.hosts.host_registry import open_host
from tests.contract.host_contract import HostContract


class FakeSubject:
    """A made-up host in a file."""

    def __init__(self, path, absent):
        self.url = f"fake:{path}"
        self._opened_by = f"fake:{path}?absent={int(absent)}"
        self._path = path

    def open(self, ledger):
        return open_host(self._opened_by, ledger)

    def snapshot(self):
        return self._path.read_text()


class TestFakeHost(HostContract):
    @pytest.fixture(params=[False, True], ids=["present", "absent"])
    def subject(self, tmp_path, request):
        return FakeSubject(tmp_path / "host.json", request.param)

"""The made-up host obeys the laws of hosts."""

import pytest

from scheduler.hosts.fake import used_cpus
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, GUEST_2, IO
from tests.contract.host_contract import HostContract


class FakeSubject:
    """A made-up host in a file."""

    def __init__(self, path, absent):
        self.url = f"fake:{path}"
        self._opened_by = f"fake:{path}?absent={int(absent)}"
        self._path = path

    def open(self, command_log):
        return open_host(self._opened_by, command_log)

    def snapshot(self):
        return self._path.read_text()


@pytest.mark.parametrize(("weight", "third_cpus"), [(100, 1 / 3), (200, 1 / 2)])
def test_fake_host_uses_no_more_than_its_one_cpu(tmp_path, weight, third_cpus):
    host = open_host(f"fake:{tmp_path}/host.json?guests=2", ignore_command)
    host.add_guest()
    host.write(GUEST_2, CgroupParams(weight=weight))
    cpu_s = {domain: usage.user_s + usage.system_s for domain, usage in host.usage().items()}
    assert cpu_s[GUEST_2] / sum(cpu_s.values()) == pytest.approx(third_cpus)
    state = dict.fromkeys((IO, GUEST), CgroupParams(weight=100)) | {GUEST_2: CgroupParams(weight=weight)}
    assert sum(used_cpus(domain, state) for domain in state) == pytest.approx(1.0)


class TestFakeHost(HostContract):
    @pytest.fixture(params=[False, True], ids=["present", "absent"])
    def subject(self, tmp_path, request):
        return FakeSubject(tmp_path / "host.json", request.param)

"""The Xen lab through libvirt: `xen+libssh://` to Dom0's libvirtd obeys the laws of hosts."""

import os
import subprocess

import pytest

from scheduler.errors import ParameterRefused
from scheduler.hosts.registry import open_host
from tests.contract.host_contract import DOMAINS, HostContract

pytestmark = [pytest.mark.lab, pytest.mark.timeout(900)]

# Every rebuild of the lab has other keys and ports; they are read from its ssh configuration.
NAME = "domtune-xen"


class XenSubject:
    """Domain-0 and the lab's guest; looked at with `xl` over ssh, which is another way in."""

    def __init__(self, config):
        self._config = config
        asked = subprocess.run(["ssh", "-G", "-F", config, NAME], capture_output=True, text=True, check=True).stdout
        given = dict(line.split(" ", 1) for line in asked.splitlines() if " " in line)
        self.url = os.environ.get("DOMTUNE_LAB_LIBVIRT") or (
            f"xen+libssh://{given['user']}@{given['hostname']}:{given['port']}/system"
            f"?keyfile={given['identityfile']}&known_hosts={given['userknownhostsfile'].split()[0]}&sshauth=privkey"
        )

    def open(self, ledger):
        return open_host(self.url, ledger)

    def snapshot(self):
        line = "xl sched-credit; xl sched-credit2"
        command = ["ssh", "-F", self._config, "-o", "BatchMode=yes", "-o", "LogLevel=ERROR", NAME, line]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert "Domain-0" in done.stdout, done.stderr
        return done.stdout


class TestXenByLibvirt(HostContract):
    @pytest.fixture
    def subject(self, xen_ssh_config):
        return XenSubject(xen_ssh_config)

    def test_that_every_change_is_announced_before_it_is_made(self, opened):
        """Here one change is never made: DomTune ends no domain of others."""
        for domain in DOMAINS:
            assert opened.host.commands(domain, opened.originals[domain])
            assert opened.host.commands(domain, None) == ()
            with pytest.raises(ParameterRefused, match="never ends a domain"):
                opened.host.write(domain, None)

    def test_that_no_flag_is_given_to_a_driver_that_takes_none(self, opened):
        for domain in DOMAINS:
            assert all("--live" not in line for line in opened.host.commands(domain, opened.originals[domain]))

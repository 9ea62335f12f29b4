"""MariaDB is the guest of `local:` as PostgreSQL is: one process, all of its threads in the group and on its CPU."""

import os
import signal
from pathlib import Path

import psutil
import pytest

from scheduler.databases.mariadb import client
from scheduler.errors import DomainGone
from scheduler.hosts.host_registry import open_host
from scheduler.hosts.local.cgroup_paths import PARENT
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST
from tests.contract.host_contract import DOMAINS, Opened
from tests.contract.local.subject import URL, LocalSubject, baseline, set_all, wait_until


class MariadbSubject(LocalSubject):
    """This computer with MariaDB in the guest."""

    def open(self, command_log):
        return open_host(URL, command_log, database="mariadb:")


@pytest.fixture
def subject():
    return MariadbSubject()


def server_of(opened: Opened) -> int:
    """Return the process of the server, found as a stranger would: by whose data it has."""
    servers = [child for child in psutil.Process().children(recursive=True) if child.name() == "mariadbd"]
    [pid] = [server.pid for server in servers if os.environ["DOMTUNE_HOME"] in " ".join(server.cmdline())]
    return pid


def test_all_its_threads_are_limited_it_starts_again_at_its_url_and_its_end_is_reported(subject, place):
    opened = Opened(subject)
    try:
        opened.host.boot()
        assert "MariaDB share CPU" in opened.host.facts().title
        assert opened.host.facts().versions["mariadb"].endswith(", installed")
        set_all(opened, baseline(opened))
        wanted = opened.encodings(Mode.CAPS)[3]
        set_all(opened, wanted)
        url, before = opened.host.database.url(), server_of(opened)
        connection = client.connect(client.parse_parameters(url, opened.host.database.secret()))
        threads = [int(entry.name) for entry in Path(f"/proc/{before}/task").iterdir()]
        assert len(threads) > 5
        for thread in threads:
            assert f"/{PARENT}/{GUEST}\n" in Path(f"/proc/{before}/task/{thread}/cgroup").read_text()
            assert os.sched_getaffinity(thread) == {place.contended_cpu}
        connection.close()
        opened.host.restart_database()
        after = server_of(opened)
        assert (after != before, opened.host.database.url()) == (True, url)
        assert f"/{PARENT}/{GUEST}\n" in Path(f"/proc/{after}/cgroup").read_text()
        assert {domain: opened.host.read(domain) for domain in DOMAINS} == dict(wanted)
        os.kill(after, signal.SIGKILL)
        wait_until(opened.host.failure_details, 5)  # its threads end one after the other
        with pytest.raises(DomainGone, match=r"MariaDB .* ended by itself"):
            opened.host.usage()
        assert "ended (signal 9)" in opened.host.failure_details()
        opened.put_back()
    finally:
        opened.host.close()
    assert opened.snapshot() == opened.before

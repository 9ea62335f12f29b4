"""What the process that holds a libvirt connection is given by us, whatever interpreter it is."""

import pytest

from scheduler import children
from scheduler.errors import HostUnreachable
from scheduler.hosts.libvirt import libvirt_uri
from scheduler.hosts.libvirt.libvirt_connection import LibvirtConnection
from scheduler.hosts.libvirt.worker_process import ConnectionLost, WorkerProcess
from scheduler.hosts.remote import askpass
from scheduler.hosts.xapi import xapi_url
from tests.xapi_double.fixtures import until


@pytest.mark.parametrize("name", [libvirt_uri.SECRET, askpass.SECRET, xapi_url.SECRET, "PGPASSWORD"])
def test_no_password_is_in_the_environment_of_the_process_or_of_what_it_starts(name, tmp_path, monkeypatch):
    monkeypatch.setenv(name, "top-secret")
    monkeypatch.setenv("DOMTUNE_OTHER", "seen")
    python, seen = tmp_path / "python", tmp_path / "seen"
    python.write_text(f"#!/bin/sh\nenv >{seen}.part && mv {seen}.part {seen}\n")
    python.chmod(0o755)
    speaker = WorkerProcess(str(python))
    try:
        until(seen.exists)
    finally:
        speaker.end()
    given = seen.read_text()
    assert "DOMTUNE_OTHER=seen" in given
    assert "top-secret" not in given


WORKER = """#!/bin/sh
read -r question
echo '{"error": {"code": 38, "part": 7, "text": "Cannot write data: Broken pipe", "alive": false}}'
read -r question
echo '{"error": {"code": 38, "part": 7, "text": "ssh: Connection refused", "alive": false}}'
exec cat >/dev/null
"""


def test_lost_word_of_ssh_is_asked_for_again(tmp_path, monkeypatch):
    """What libvirt says when its ssh had ended before it wrote: in one of a few hundred openings of a closed port."""
    python = tmp_path / "python"
    python.write_text(WORKER)
    python.chmod(0o755)
    monkeypatch.setattr("scheduler.hosts.libvirt.libvirt_connection.find_python", lambda: str(python))
    connection = LibvirtConnection(libvirt_uri.parse_uri("qemu+ssh://nobody@127.0.0.1:1/system"))
    try:
        with pytest.raises(HostUnreachable, match="no server listens there"):
            connection.about()
    finally:
        connection.close()


def test_endless_answer_loses_the_connection(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "MOST_BYTES", 1_000)
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nread -r question\nwhile :; do printf '%0100d' 0; done\n")
    python.chmod(0o755)
    worker = WorkerProcess(str(python))
    try:
        with pytest.raises(ConnectionLost, match="the answer to 'about' is too long"):
            worker.ask({"do": "about"}, 20.0)
    finally:
        worker.end()

"""What the process that holds a libvirt connection is given by us, whatever interpreter it is."""

import pytest

from scheduler.hosts.libvirt import uri as libvirt_uri
from scheduler.hosts.libvirt.speaker import Speaker
from scheduler.hosts.remote import askpass
from scheduler.hosts.xapi import url as xapi_url
from tests.xapi_double.fixtures import until


@pytest.mark.parametrize("name", [libvirt_uri.SECRET, askpass.SECRET, xapi_url.SECRET, "PGPASSWORD"])
def test_that_no_password_is_in_the_environment_of_the_process_or_of_what_it_starts(name, tmp_path, monkeypatch):
    monkeypatch.setenv(name, "top-secret")
    monkeypatch.setenv("DOMTUNE_OTHER", "seen")
    python, seen = tmp_path / "python", tmp_path / "seen"
    python.write_text(f"#!/bin/sh\nenv >{seen}.part && mv {seen}.part {seen}\n")
    python.chmod(0o755)
    speaker = Speaker(str(python))
    try:
        until(seen.exists)
    finally:
        speaker.end()
    given = seen.read_text()
    assert "DOMTUNE_OTHER=seen" in given
    assert "top-secret" not in given

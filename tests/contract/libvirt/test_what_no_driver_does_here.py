"""What cannot be brought about here, on a double of libvirt-python under our own worker process."""

import json
import sys
from pathlib import Path

import pytest

from scheduler.errors import DomainGone, HostNotUsable, RestoreFailed
from scheduler.hosts.libvirt import interpreters
from scheduler.hosts.libvirt.host import open_host
from scheduler.model.split import GUEST, IO
from scheduler.run.putting_back import put_back

DOUBLE = Path(__file__).resolve().parents[2] / "libvirt_double"
# As `PYTHON -I FILE`, or `PYTHON -I -c PROGRAM`, but the double is found first.
WRAPPER = """#!/bin/sh
shift
if [ "$1" = -c ]; then exec "{python}" -c "import sys; sys.path.insert(0, '{double}'); $2"; fi
exec "{python}" -c "import runpy, sys; sys.path.insert(0, '{double}'); runpy.run_path('$1', run_name='__main__')"
"""


@pytest.fixture
def double(tmp_path, monkeypatch):
    """Return a function that says how the doubled host is from now on."""
    wrapper, state = tmp_path / "python", tmp_path / "state.json"
    wrapper.write_text(WRAPPER.format(python=sys.executable, double=DOUBLE))
    wrapper.chmod(0o755)
    monkeypatch.setenv(interpreters.CHOSEN, str(wrapper))
    monkeypatch.setenv("DOMTUNE_DOUBLE", str(state))

    def be(*, migrated=False, scheduler="posix"):
        state.write_text(json.dumps({"migrated": migrated, "scheduler": scheduler}))

    be()
    return be


@pytest.fixture
def host(double):
    opened = open_host("qemu://elsewhere/system", lambda command, answer: None, "", "db1", "")
    yield opened
    opened.close()


def test_that_a_domain_that_migrates_away_is_not_taken_for_one_that_ended(host, double):
    originals = {domain: host.read(domain) for domain in (IO, GUEST)}
    double(migrated=True)
    with pytest.raises(DomainGone, match="moved to another host, with its limits") as said:
        host.read(GUEST)
    assert "by hand" in said.value.hint
    with pytest.raises(RestoreFailed) as failed:
        put_back(host, originals)
    assert set(failed.value.pending) == {IO, GUEST}


def test_that_a_scheduler_that_libvirt_cannot_name_is_not_usable(double):
    double(scheduler="")
    with pytest.raises(HostNotUsable, match="cannot set anything under this scheduler") as said:
        open_host("xen://elsewhere/system", lambda command, answer: None, "", "", "")
    assert said.value.hint


def test_that_threads_with_a_quota_of_their_own_are_said(host):
    said = [finding.text for finding in host.facts().findings]
    assert any("2 I/O threads" in text for text in said)
    assert not any("emulated in software" in text for text in said)


def test_that_elsewhere_the_weights_tell_the_version_and_the_clients_are_not_placed(host):
    facts = host.facts()
    assert facts.scheduler == "qemu-emulator"
    assert facts.client_cpus == ()
    assert facts.contended_cpus == (0,)

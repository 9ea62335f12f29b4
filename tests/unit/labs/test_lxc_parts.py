"""Laws of the LXC lab's parts that need no container."""

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest

from labs.lxc import lab, libvirt_daemon
from labs.lxc.bare_server import BareServer
from labs.lxc.containers import ContainerPlan, guest_domain_xml, io_domain_xml
from labs.lxc.lab_files import BARE, DATABASE, OVERHEAD, RELAY, SWEEP, LabFiles, StartedLab, format_plan
from scheduler.errors import HostNotUsable
from scheduler.model.lab import LabState
from scheduler.model.plan_file import parse_plan

PLAN = ContainerPlan(
    cpu=1,
    relay_port=1111,
    database_port=2222,
    server=("/usr/bin/postgres", "-D", "/a <b> & 'c'/cluster", "-c", "unix_socket_directories="),
    log=Path("/a <b> & 'c'/server.log"),
    uid=7,
    gid=8,
    init=Path("/init"),
)


def words(description):
    domain = ET.fromstring(description)
    assert domain.find("vcpu").get("cpuset") == "1"
    return [domain.findtext("./os/init"), *(each.text for each in domain.iterfind("./os/initarg"))]


def test_path_is_data_in_a_description():
    assert words(guest_domain_xml(PLAN)) == [
        "/init",
        "7",
        "8",
        "/a <b> & 'c'/server.log",
        "/usr/bin/postgres",
        "-D",
        "/a <b> & 'c'/cluster",
        "-c",
        "unix_socket_directories=",
    ]


def test_relay_leads_to_the_database():
    assert words(io_domain_xml(PLAN))[-2:] == ["1111", "2222"]


def test_where_no_lab_was_started_none_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    assert lab.read_status().state is LabState.DOWN
    assert lab.stop_lab(print).state is LabState.DOWN


def test_lab_whose_libvirtd_is_gone_is_reported_to_have_crashed(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    folder = lab.lab_dir() / "run"
    folder.mkdir(parents=True)
    for pid in ("", "0", str(os.getpid())):  # ours is no libvirtd
        (folder / "libvirtd.pid").write_text(pid)
        said = lab.read_status()
        assert said.state is LabState.CRASHED
        assert "down" in said.hint


def test_folder_too_long_for_a_socket_is_refused(tmp_path):
    made = libvirt_daemon.LibvirtDaemon(tmp_path / ("long" * 30))
    with pytest.raises(HostNotUsable) as said:
        made.refuse_if_impossible()
    assert said.value.hint


MADE = StartedLab("lxc:///system", 0, {RELAY: 1, DATABASE: 2, BARE: 3})


@pytest.mark.parametrize(("text", "study", "base"), [(SWEEP, "split", ""), (OVERHEAD, "overhead", BARE)])
def test_plans_of_the_lab_can_be_read(text, study, base):
    spec = parse_plan(format_plan(text, MADE, Path("/p"), Path("/q")))
    assert (spec.host_url, spec.io_domain, spec.guest_domain, spec.kind.name) == (MADE.host, "io", "db", study)
    assert spec.study.reference_url == (MADE.database_url(base) if base else "")
    assert [load.url for load in spec.loads] == [MADE.database_url(RELAY)]


def test_what_is_handed_out_knows_every_password_and_is_for_no_one_else(tmp_path):
    handing = LabFiles(tmp_path)
    handing.write(msgspec.structs.replace(MADE, ports={RELAY: 1, DATABASE: 2}), "one", RELAY, DATABASE)
    assert handing.plan.exists()
    assert not handing.overhead.exists()
    handing.write(MADE, "other", BARE)
    assert handing.overhead.exists()
    assert handing.made == MADE
    said = [f"127.0.0.1:{port}:*:domtune:{password}\n" for port, password in ((1, "one"), (2, "one"), (3, "other"))]
    assert handing.passfile.read_text() == "".join(said)
    assert handing.passfile.stat().st_mode & 0o077 == 0
    handing.clear()
    assert list(tmp_path.iterdir()) == []
    assert handing.made.ports == {}


def test_only_a_server_of_the_labs_own_data_is_taken_for_the_one_without_a_container(tmp_path):
    (tmp_path / "run").mkdir()
    bare = BareServer(tmp_path)
    for pid in ("", "0", str(os.getpid())):  # ours is no server
        (tmp_path / "run" / "bare.pid").write_text(pid)
        assert bare.pid == 0
    bare.stop()
    assert not (tmp_path / "run" / "bare.pid").exists()

"""Laws of the LXC lab's parts that need no container."""

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from scheduler.errors import HostNotUsable
from scheduler.labs.lxc import daemon, lab
from scheduler.labs.lxc.containers import Plan, db_domain, io_domain
from scheduler.model.lab import LabState
from scheduler.model.plan_file import parse_plan

PLAN = Plan(
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


def test_that_a_path_is_data_in_a_description():
    assert words(db_domain(PLAN)) == [
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


def test_that_the_relay_leads_to_the_database():
    assert words(io_domain(PLAN))[-2:] == ["1111", "2222"]


def test_that_where_no_lab_was_started_none_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    assert lab.status().state is LabState.DOWN
    assert lab.down(print).state is LabState.DOWN


def test_that_a_lab_whose_libvirtd_is_gone_is_said_to_have_crashed(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    folder = lab.base() / "run"
    folder.mkdir(parents=True)
    for pid in ("", "0", str(os.getpid())):  # ours is no libvirtd
        (folder / "libvirtd.pid").write_text(pid)
        said = lab.status()
        assert said.state is LabState.CRASHED
        assert "down" in said.hint


def test_that_a_folder_too_long_for_a_socket_is_refused(tmp_path):
    made = daemon.Daemon(tmp_path / ("long" * 30))
    with pytest.raises(HostNotUsable) as said:
        made.refuse_if_impossible()
    assert said.value.hint


def test_that_the_plan_of_the_lab_can_be_read():
    text = lab._PLAN.format(
        cpu=0, passfile="/p", path="/q", host="lxc:///system", io="io", guest="db", database="postgresql://u@h:1/d"
    )
    spec = parse_plan(text)
    assert (spec.host_url, spec.io_domain, spec.guest_domain) == ("lxc:///system", "io", "db")

"""Laws of reading Dom0's answers, and of the ssh files that let nobody be trusted unseen."""

import subprocess

import pytest

from labs.xen.dom0 import WIDEN, LabDom0, parse_look, write_ssh_files
from labs.xen.ports import choose_ports
from labs.xen.recipe import RECIPE
from scheduler.errors import HostUnreachable

# As a lab of this recipe printed it.
SEEN = """credit2
Name                                        ID   Mem VCPUs\tState\tTime(s)
Domain-0                                     0   768     1     r-----     115.8
db1                                          1   640     1     ------       0.6
"""


def test_scheduler_and_domains_are_read():
    look = parse_look(SEEN)
    assert look.scheduler == "credit2"
    assert [(d.name, d.domid, d.vcpus, d.state, d.cpu_s) for d in look.domains] == [
        ("Domain-0", 0, 1, "r-----", 115.8),
        ("db1", 1, 1, "------", 0.6),
    ]


def test_name_may_hold_blanks():
    row = "a b;$(touch x)'\" 2                           7   640     2     -b----       1.5\n"
    assert [d.name for d in parse_look(SEEN + row).domains][-1] == "a b;$(touch x)'\" 2"


@pytest.mark.parametrize("text", ["", "credit2\n", "credit2\nsomething else\n", SEEN + "cut off   1\n", SEEN + "\n"])
def test_anything_else_is_no_answer(text):
    with pytest.raises(HostUnreachable):
        parse_look(text)


@pytest.fixture
def folder(tmp_path):
    images = tmp_path / "with blank"
    images.mkdir()
    for name in ("dom0", "guest"):
        (images / f"{name}.host-key").write_text(f"ssh-ed25519 AAAA{name} root@{name}\n")
    write_ssh_files(tmp_path, images, choose_ports({"dom0": 0, "guest": 0, "guest-2": 0}))
    return tmp_path


def asked(folder, host):
    """What ssh itself makes of the file."""
    done = subprocess.run(
        ["ssh", "-G", "-F", folder / "ssh_config", host], capture_output=True, text=True, check=True, timeout=10
    )
    return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)


@pytest.mark.parametrize("host", ["domtune-xen", "domtune-xen-guest", "domtune-xen-guest-2"])
def test_ssh_knows_key_and_host_keys_and_accepts_no_other(folder, host):
    words = asked(folder, host)
    assert (words["hostname"], words["user"]) == ("127.0.0.1", "root")
    assert words["stricthostkeychecking"] in ("true", "yes")
    assert words["identityfile"].strip('"').endswith("with blank/id")
    known = (folder / "known_hosts").read_text()
    assert f"[127.0.0.1]:{words['port']} ssh-ed25519 " in known


def test_dom0_where_nothing_listens_does_not_answer(folder):
    assert LabDom0(folder).answers() is False
    with pytest.raises(HostUnreachable, match="cannot be reached"):
        LabDom0(folder).look()


def test_guest_of_four_cpus_is_defined_with_four_vcpus_and_no_pin(tmp_path):
    guest = tmp_path / "guest.xml"
    guest.write_text((RECIPE / "guest.xml").read_text())
    subprocess.run(["sh", "-c", WIDEN.format(cpus=4).replace("/root/lab/guest.xml", str(guest))], check=True)
    assert "<vcpu>4</vcpu>" in guest.read_text()

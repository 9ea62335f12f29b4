"""An account with no more rights than `domtune host-setup` writes can do all that a sweep does.

`sudo` and `id` are doubles here: the one writes down what it was asked for, the other says that we are not root. The
helper is the generated one.
"""

import re
from fnmatch import fnmatchcase

import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.remote.guard_helper import setup_files
from scheduler.hosts.remote.guard_program import HELPER, HelperPlace
from scheduler.hosts.xen.xen_host import open_host
from scheduler.hosts.xen.xentop_meter import choose_interval_s
from scheduler.model.split import GUEST, IO

SUDO = """#!/bin/sh
[ "$1" = -n ] && shift
echo "$*" | head -n 1 >>"{log}"
export BY_SUDO=yes
[ "$1" != {helper} ] || {{ shift && exec sh "{installed}" "$@"; }}
exec "$@"
"""

NO_XENTOP = "case $1 in */xentop) echo 'sudo: a password is required' >&2; exit 1 ;; esac\n"

ID = '#!/bin/sh\n[ -z "$BY_SUDO" ] || exec /usr/bin/id "$@"\necho 1000\n'


@pytest.fixture
def asked(double, tmp_path):
    """What sudo was asked for, line by line."""
    log, installed = tmp_path / "sudo.log", tmp_path / "domtune-guard"
    place = HelperPlace(str(tmp_path / "run"), (str(double.sbin / "xl"),), f"{double.sbin}:")
    installed.write_text(setup_files("operator", place=place)["domtune-guard"])
    programs = {"sudo": SUDO.format(log=log, helper=HELPER, installed=installed), "id": ID}
    for name, text in programs.items():
        (double.sbin / name).write_text(text)
        (double.sbin / name).chmod(0o755)
    return lambda: log.read_text().splitlines()


def allowed():
    """Return the patterns of the written rule; a command with no words after it may have any."""
    rule = setup_files("operator")["sudoers"]
    commands = re.search(r"Cmnd_Alias DOMTUNE = (.*?)\nDefaults", rule, re.DOTALL)[1].split(", \\\n    ")
    return [command if " " in command else f"{command} *" for command in commands]


@pytest.mark.parametrize(("scheduler", "every_s"), [("credit", 1), ("credit2", 2), ("rtds", 3)])
def test_whole_sweep_asks_for_nothing_that_the_rule_does_not_allow(double, asked, scheduler, every_s, monkeypatch):
    """On a host whose `xl list` takes long, xentop looks less often."""
    monkeypatch.setattr("scheduler.hosts.xen.xentop_meter.choose_interval_s", lambda _: every_s)
    with double.changing() as state:
        state["scheduler"] = scheduler
    before = double.parameters()
    host = open_host("xl:", lambda *_: None, "", "", "")
    host.facts()
    found = {domain: host.read(domain) for domain in (IO, GUEST)}
    host.boot()
    for domain in (IO, GUEST):
        host.write(domain, found[domain])
    host.usage()
    for domain in (IO, GUEST):
        host.release_domain(domain)
    host.close()
    commands = [line.replace(str(double.sbin), "/usr/sbin") for line in asked()]
    patterns = allowed()
    assert f"/usr/sbin/xentop -b -f -d {every_s}" in commands
    refused = [line for line in commands if not any(fnmatchcase(line, pattern) for pattern in patterns)]
    assert refused == []
    words = {line.split()[1] for line in commands if line.startswith(HELPER)}
    assert {"version", "arm", "run", "disarm"} <= words
    assert double.parameters() == before


@pytest.mark.parametrize("times", ["", "9m59.9s 9m59.9s", "0m0.1s 0m0.0s"])
def test_every_time_between_two_looks_of_xentop_is_allowed(times):
    assert f"/usr/sbin/xentop -b -f -d {choose_interval_s(times)}" in allowed()


def test_programs_next_to_a_tool_elsewhere_are_allowed_there():
    place = HelperPlace(programs=("/usr/local/sbin/xl",))
    rule = setup_files("operator", place=place)["sudoers"]
    assert "/usr/local/sbin/xentop -b -f -d 3" in rule
    assert "/usr/local/sbin/xl sched-rtds -d [0-9][0-9] -v all" in rule
    assert "/usr/sbin/xl" not in rule


def test_xentop_that_sudo_refuses_is_reported_with_the_cure(double, asked):
    """sudo compares whole commands: one that the installed rule does not hold is refused at once."""
    refusing = SUDO.replace('[ "$1" != {helper} ]', NO_XENTOP + '[ "$1" != {helper} ]')
    values = {"log": "/dev/null", "helper": HELPER, "installed": "/nowhere"}
    (double.sbin / "sudo").write_text(refusing.format(**values))
    host = open_host("xl:", lambda *_: None, "", "", "")
    host.facts()
    with pytest.raises(HostNotUsable, match=r"may not call 'sudo -n .*/xentop -b -f -d 1': sudo: a password") as caught:
        host.usage()
    assert "domtune host-setup" in caught.value.hint
    host.close()

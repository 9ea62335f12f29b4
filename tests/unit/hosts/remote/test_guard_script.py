"""The guard's texts: what may stand in a restore command, and that the assembled programs are sound."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import ParameterRefused
from scheduler.hosts.remote.guard_program import build_program, program_name, read_script
from scheduler.hosts.remote.guard_script import DOM0, LIBVIRT, NUMBER, RestoreCommands, restore_lines

UUID = "6f0c2a9e-1b7d-4c55-9d3a-000000000001"
XL = "/usr/sbin/xl"


def test_dom0_comes_first_and_each_domain_keeps_its_order():
    set_one = (XL, "sched-rtds", "-d", NUMBER, "-v", "0", "-p", "10000", "-b", "2500", "-e", "0")
    set_two = (XL, "sched-rtds", "-d", NUMBER, "-v", "1", "-p", "10000", "-b", "2500", "-e", "0")
    text = restore_lines([RestoreCommands(UUID, (set_one, set_two)), RestoreCommands(DOM0, (set_one,))])
    assert text.splitlines() == [
        f"put dom0 {' '.join(set_one)}",
        f"put {UUID} {' '.join(set_one)}",
        f"put {UUID} {' '.join(set_two)}",
    ]


@pytest.mark.parametrize(
    "domain", ["", "db1", "0", "6F0C2A9E-1B7D-4C55-9D3A-000000000001", f"{UUID}\n", f"{UUID} x", "$(id)", f"{UUID}\nid"]
)
def test_domain_is_dom0_or_a_uuid(domain):
    with pytest.raises(ParameterRefused):
        restore_lines([RestoreCommands(domain, ((XL, "sched-credit", "-d", NUMBER),))])


SOCKET = "lxc+unix:///system?socket=/tmp/d-1/run/libvirt-sock"
VIRSH = ("/usr/bin/virsh", "-q", "-c")


@pytest.mark.parametrize("uri", ["qemu:///system", "lxc:///system", SOCKET])
def test_uri_of_libvirts_stays_one_word_when_a_shell_reads_it(uri, tmp_path):
    line = restore_lines(
        [RestoreCommands(LIBVIRT + UUID, ((*VIRSH, uri, "schedinfo", NUMBER, "--set", "vcpu_quota=-1"),))]
    )
    script = f"put() {{ printf '%s|' \"$@\"; }}; {line}"
    answer = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert answer.stdout.split("|")[:5] == [LIBVIRT + UUID, *VIRSH, uri]


@pytest.mark.parametrize(
    "uri", ["qemu+ssh://host/system", "lxc:///system?socket=/a b", "lxc:///system?socket=/$(id)", "lxc:///system;id"]
)
def test_no_other_uri_gets_into_a_restore_command(uri):
    with pytest.raises(ParameterRefused):
        restore_lines([RestoreCommands(LIBVIRT + UUID, ((*VIRSH, uri, "schedinfo", NUMBER),))])


@pytest.mark.parametrize("program_path", ["xl", "", "/usr/sbin/x l", "/usr/sbin/xl;id", "/usr/sbin/xl\n", "$HOME/xl"])
def test_program_is_an_absolute_path_without_anything_to_interpret(program_path):
    with pytest.raises(ParameterRefused):
        restore_lines([RestoreCommands(DOM0, ((program_path,),))])


@given(st.text(min_size=1))
def test_word_that_a_shell_could_interpret_never_gets_through(word):
    try:
        line = restore_lines([RestoreCommands(DOM0, ((XL, word),))])
    except ParameterRefused:
        return
    # What got through is one word and stays what it is when a shell reads it.
    script = f"put() {{ printf '%s|' \"$@\"; }}; {line}"
    answer = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout == f"dom0|{XL}|{word}|"


@pytest.mark.parametrize("word", ["$(id)", "`id`", "a b", "a;b", "'", '"', "-w;id", "\n", "a\nb", "*", "~", "a=b", "é"])
def test_these_words_are_refused(word):
    with pytest.raises(ParameterRefused):
        restore_lines([RestoreCommands(DOM0, ((XL, word),))])


def test_program_is_whole_and_named_by_its_content():
    assert "@RESTORE" not in build_program()
    assert build_program().count("exit 0 # complete") == 1
    assert build_program().endswith('main "$@"\n')
    assert program_name().startswith("guard-")


@pytest.mark.parametrize("shell", ["dash", "busybox", "bash"])
def test_every_shell_can_read_the_program(shell):
    where = shutil.which(shell)
    assert where, f"install {shell}: hosts have it as sh"
    argv = [where, "sh", "-n"] if shell == "busybox" else [where, "-n"]
    answer = subprocess.run(argv, input=build_program(), capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_assembled_program_passes_shellcheck():
    answer = subprocess.run(
        ["shellcheck", "-s", "sh", "-"], input=build_program(), capture_output=True, text=True, check=False
    )
    assert answer.stdout == ""


def test_every_line_of_the_restore_frame_reaches_the_program():
    frame = [line for line in read_script("guard_restore.sh").splitlines() if line != "# @LINES@"]
    assert [line for line in frame if line not in build_program().splitlines()] == []


@pytest.mark.parametrize("shell", ["dash", "busybox", "bash"])
@pytest.mark.parametrize(
    ("given", "fine"),
    [
        (b"put dom0 /usr/sbin/xl sched-credit2 -d @ -w 256 -c 0\n", True),
        (b"put dom0 /usr/sbin/xl sched-credit2 -d @ -w 256 -c 0\0\n", False),
        (b"put dom0 /usr/sbin/xl sched-credit2 -d @ -w 256 -c 0\0;id\n", False),
        (b"put dom0 /usr/sbin/xl sched-credit2 -d @ -w 256 -c 0;id\n", False),
        (b"put dom0 /usr/sbin/xl\tsched-credit2 -d @ -w 256 -c 0\n", False),
    ],
)
def test_helper_takes_no_byte_that_it_does_not_know(tmp_path, shell, given, fine):
    (tmp_path / "given").write_bytes(given)
    functions = read_script("guard_strict.sh").replace("@PROGRAMS@", "/usr/sbin/xl")
    argv = [shell, "sh"] if shell == "busybox" else [shell]
    answer = subprocess.run(
        [*argv, "-s", "--"],
        input=f"{functions}\npermitted restore\n",
        cwd=tmp_path,
        text=True,
        capture_output=True,
        check=False,
    )
    assert (answer.returncode == 0) == fine


def test_domain_is_looked_up_once_for_its_lines_and_a_busy_vcpu_is_tried_again(tmp_path):
    """A guest of 64 vCPUs on a host of 100 domains has 64 lines, and each look costs 100 processes."""
    programs = {
        "xenstore-list": "echo 0; echo 4; echo list >>log",
        "xenstore-read": f'[ "$1" != /local/domain/4/vm ] || echo /vm/{UUID}',
        "xl": 'echo "$*" >>log; [ -e tried ] || { : >tried; echo "Device or resource busy" >&2; exit 1; }',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    lines = "".join(f"put {UUID} {tmp_path}/xl vcpu-pin @ {vcpu} 0-3\n" for vcpu in range(3))
    script = read_script("guard_restore.sh").replace("# @LINES@\n", lines)
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    pins = [f"vcpu-pin 4 {vcpu} 0-3" for vcpu in (0, 0, 1, 2)]
    assert (tmp_path / "log").read_text().splitlines() == ["list", *pins]

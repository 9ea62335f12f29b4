"""Laws of the emulator's monitor: answers are told from events, refusals keep their words, silence ends."""

import os

import pytest

from labs.xen import qmp
from scheduler.errors import HostNotUsable, HostUnreachable
from tests.unit.labs.qmp_peer import STOPPED, listening, monitor_of


def test_answer_comes_through_whatever_events_come_before(tmp_path):
    with monitor_of(tmp_path, {"query-migrate": {"status": "active"}}) as peer:
        with qmp.connect_monitor(tmp_path) as monitor:
            assert monitor.execute("query-migrate") == {"status": "active"}
            assert monitor.execute("set_link", {"name": "n0", "up": False}) == {}
        assert peer.told == [
            ("qmp_capabilities", {}),
            ("query-migrate", {}),
            ("set_link", {"name": "n0", "up": False}),
        ]


def test_file_goes_with_the_line(tmp_path):
    def takes(file):
        os.write(file, b"written by the emulator")
        return {}

    with monitor_of(tmp_path, {"getfd": takes}), (tmp_path / "memory").open("wb") as file:
        with qmp.connect_monitor(tmp_path) as monitor:
            monitor.execute("getfd", {"fdname": "state"}, files=[file.fileno()])
        assert (tmp_path / "memory").read_bytes() == b"written by the emulator"


def test_refusal_is_reported_in_the_emulators_words_and_the_next_command_still_works(tmp_path):
    with monitor_of(tmp_path, {"migrate": "State blocked by ivshmem"}), qmp.connect_monitor(tmp_path) as monitor:
        with pytest.raises(HostNotUsable, match="refuses migrate: State blocked by ivshmem"):
            monitor.execute("migrate", {"uri": "fd:state"})
        assert monitor.execute("cont") == {}


def test_it_is_found_below_a_long_path(tmp_path):
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    with monitor_of(folder, {}), qmp.connect_monitor(folder) as monitor:
        assert monitor.execute("stop") == {}


@pytest.mark.parametrize("there", [False, True])
def test_where_no_one_listens_it_is_unreachable(tmp_path, there):
    folder = tmp_path / "run"
    if there:
        folder.mkdir()
    with pytest.raises(HostUnreachable, match="does not listen"), qmp.connect_monitor(folder):
        pytest.fail("connected to nobody")


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (b"", "closed the connection"),
        (b"QEMU 7.2.0 monitor - type 'help' for more information\r\n", "sent b.QEMU 7.2.0 monitor"),
        (f"{STOPPED}\r\n".replace("'", '"').encode(), "does not speak QMP"),
    ],
)
def test_what_speaks_something_else_is_unreachable(tmp_path, says, told):
    with (
        listening(tmp_path, lambda line: line.sendall(says)),
        pytest.raises(HostUnreachable, match=told),
        qmp.connect_monitor(tmp_path),
    ):
        pytest.fail("greeted by a stranger")


def test_silent_one_is_not_waited_for_without_end(tmp_path):
    with (
        listening(tmp_path, lambda line: line.recv(1)),
        pytest.raises(HostUnreachable, match="gives no answer: timed out"),
        qmp.connect_monitor(tmp_path, limit_s=0.2),
    ):
        pytest.fail("greeted by nobody")


def test_one_that_ends_instead_of_answering_is_unreachable(tmp_path):
    with monitor_of(tmp_path, {}), qmp.connect_monitor(tmp_path) as monitor:
        monitor.execute("quit")
        with pytest.raises(HostUnreachable):
            monitor.execute("cont")

"""Commands that keep talking."""

import os
import threading
import time

import pytest

from scheduler.errors import HostUnreachable
from scheduler.hosts.remote.local_shell import LocalShell


def wait_for(stream, count, limit_s=60.0):
    lines, end_s = [], time.monotonic() + limit_s
    while len(lines) < count and time.monotonic() < end_s:
        lines += stream.take()
        threading.Event().wait(0.02)
    return lines


def test_lines_are_taken_once_and_carry_their_time():
    stream = LocalShell().stream(["sh", "-c", "echo one; sleep 1; echo 'two words'; exec sleep 30"])
    try:
        lines = wait_for(stream, 2)
        assert [line for _, line in lines] == ["one", "two words"]
        assert 0.2 < lines[1][0] - lines[0][0] < 10
        assert stream.take() == []
        assert not stream.ended
    finally:
        stream.close()
    assert stream.ended
    stream.close()


def test_end_is_noticed():
    stream = LocalShell().stream(["echo", "last"])
    assert [line for _, line in wait_for(stream, 1)] == ["last"]
    stream.close()
    assert stream.ended


def test_command_that_may_not_be_signalled_ends_at_its_next_line(tmp_path, monkeypatch):
    ended = tmp_path / "ended"
    talk = "trap '' PIPE; while echo on 2>/dev/null; do sleep 0.1; done; touch \"$0\""
    stream = LocalShell().stream(["sh", "-c", talk, str(ended)])
    assert wait_for(stream, 1)

    def refuse(_pid, _signal):
        raise PermissionError(1, "Operation not permitted")  # what the kernel says of root's sudo to another account

    with monkeypatch.context() as without_rights:
        without_rights.setattr(os, "kill", refuse)
        stream.close()
        stream.close()
    assert stream.ended
    assert ended.exists()


def test_command_that_does_not_exist_is_reported():
    with pytest.raises(HostUnreachable, match="xentop"):
        LocalShell().stream(["/nowhere/xentop"])


def test_line_that_is_too_long_is_left_out_and_the_next_is_taken():
    long = "head -c 300000 /dev/zero | tr '\\0' x"
    stream = LocalShell().stream(["sh", "-c", f"echo one; {long}; echo; echo two; {long}"])
    try:
        lines = wait_for(stream, 2)
        for _ in range(3000):
            if stream.ended:
                break
            threading.Event().wait(0.02)
        lines += stream.take()
    finally:
        stream.close()
    assert [line for _, line in lines] == ["one", "two"]

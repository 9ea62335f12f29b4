"""Accepted certificates: a damaged file never makes an accepted certificate look as if nobody had accepted one."""

import os
import time

import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.xapi.certificate_pins import accept_fingerprint, find_pin, pins_path
from scheduler.hosts.xapi.xapi_url import XapiAddress

XCP1, XCP2 = XapiAddress("xcp1"), XapiAddress("xcp2")
ONE, TWO = "ab" * 32, "cd" * 32


@pytest.fixture
def path(home):
    accept_fingerprint(XCP1, ONE)
    return pins_path()


def test_last_accepted_one_counts(path):
    accept_fingerprint(XCP1, TWO)
    assert (find_pin(XCP1), find_pin(XCP2)) == (TWO, "")


@pytest.mark.parametrize(
    "damage",
    [b"\xff\xfe\x00", b"xcp2\n", b"xcp2 AB:CD\n", b"xcp2 " + b"zz" * 32, b"\0" * 40, b"x" * (2 << 20), b"a b c\n"],
    ids=["bytes", "word", "short", "letters", "zeros", "long", "words"],
)
def test_damaged_file_is_named_the_one_that_is_asked_for(path, damage):
    path.write_bytes(path.read_bytes() + damage)
    for address in (XCP1, XCP2):
        with pytest.raises(HostNotUsable, match="accepted certificates") as caught:
            find_pin(address)
        assert str(path) in str(caught.value)
        assert "domtune trust" in caught.value.hint
    with pytest.raises(HostNotUsable, match="accepted certificates"):
        accept_fingerprint(XCP2, TWO)


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "loop"])
def test_what_is_no_file_is_named_and_holds_no_one_up(path, kind, tmp_path):
    path.unlink()
    target = tmp_path / "somebody's"
    target.write_text("")
    {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "link": lambda: path.symlink_to(target),
        "loop": lambda: path.symlink_to(path),
    }[kind]()
    begun_s = time.monotonic()
    for act in (lambda: find_pin(XCP1), lambda: accept_fingerprint(XCP1, ONE)):
        with pytest.raises(HostNotUsable, match="accepted certificates"):
            act()
    assert time.monotonic() - begun_s < 5
    assert target.read_text() == ""


def test_no_file_is_no_pin(home):
    assert find_pin(XCP1) == ""

"""xapi:// URLs and the password that never stands in one."""

import pytest

from scheduler.errors import LoginRefused, SpecError
from scheduler.hosts.xapi.xapi_url import SECRET, USER, XapiAddress, parse_xapi_url, read_credentials


@pytest.mark.parametrize(
    ("text", "address", "user", "ssh"),
    [
        ("xapi://xcp1", XapiAddress("xcp1"), "", None),
        ("xapi://xcp1/", XapiAddress("xcp1"), "", None),
        ("xapi://admin@10.0.0.11:8443", XapiAddress("10.0.0.11", 8443), "admin", None),
        ("xapi://[fe80::1]", XapiAddress("fe80::1"), "", None),
        ("xapi://xcp1?ssh=root@dom0:2222", XapiAddress("xcp1"), "", "root@dom0:2222"),
    ],
)
def test_url_is_read(text, address, user, ssh):
    url = parse_xapi_url(text)
    assert (url.address, url.user) == (address, user)
    assert (url.ssh.where if url.ssh else None) == ssh
    assert parse_xapi_url(url.base).address == address


@pytest.mark.parametrize(
    "text",
    [
        "xapi:",
        "xapi://",
        "xapi://host/path",
        "xapi://host#x",
        "xapi://host?ssh=",
        "xapi://host?sudo=1",
        "xapi://host?ssh=a&other=b",
        "xapi://host:0x1",
        "xapi://host:99999",
        "xapi://ho st",
        "xapi://-oProxyCommand=x",
        "xapi://host?ssh=-oProxyCommand=x",
        "xapi://[",
    ],
)
def test_another_url_is_refused(text):
    with pytest.raises(SpecError):
        parse_xapi_url(text)


def test_password_in_a_url_is_refused_and_not_repeated():
    with pytest.raises(SpecError, match="holds a password") as caught:
        parse_xapi_url("xapi://root:hunter2@xcp1")
    assert "hunter2" not in f"{caught.value}{caught.value.hint}"
    assert SECRET in caught.value.hint


def test_user_and_password_come_from_the_environment(monkeypatch):
    monkeypatch.delenv(USER, raising=False)
    monkeypatch.setenv(SECRET, "word")
    assert read_credentials(parse_xapi_url("xapi://xcp1")) == ("root", "word")
    monkeypatch.setenv(USER, "lecturer")
    assert read_credentials(parse_xapi_url("xapi://xcp1")) == ("lecturer", "word")
    assert read_credentials(parse_xapi_url("xapi://admin@xcp1")) == ("admin", "word")
    monkeypatch.delenv(SECRET)
    with pytest.raises(LoginRefused, match="wants a password for 'lecturer'"):
        read_credentials(parse_xapi_url("xapi://xcp1"))

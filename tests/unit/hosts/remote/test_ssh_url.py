"""Targets of ssh in URLs."""

import pytest

from scheduler.errors import SpecError
from scheduler.hosts.remote.ssh_url import SshTarget, parse_target


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("xl+ssh://root@xen1", SshTarget("xen1", "root")),
        ("xl+ssh://root@xen1:10022", SshTarget("xen1", "root", 10022)),
        ("xl+ssh://Lab-Host", SshTarget("Lab-Host")),
        ("xl+ssh://admin@[fe80::1%25eth0]:22", SshTarget("fe80::1%25eth0", "admin", 22)),
        ("xl+ssh://root@10.0.0.5/", SshTarget("10.0.0.5", "root")),
    ],
)
def test_target_is_read(url, target):
    assert parse_target(url) == target


@pytest.mark.parametrize(
    "url",
    [
        "xl+ssh://",
        "xl+ssh://root@",
        "xl+ssh://-oProxyCommand=touch@xen1",
        "xl+ssh://root@-oProxyCommand=x",
        "xl+ssh://root@xen1:99999",
        "xl+ssh://root@xen1:x",
        "xl+ssh://root@xen1/system",
        "xl+ssh://root@xen 1",
        "xl+ssh://root@$(touch x)",
    ],
)
def test_what_is_no_target_is_refused(url):
    with pytest.raises(SpecError):
        parse_target(url)


def test_password_in_a_url_is_refused_without_repeating_it():
    with pytest.raises(SpecError) as refused:
        parse_target("xl+ssh://root:s3cret@xen1")
    assert "s3cret" not in str(refused.value)


def test_target_cannot_become_an_option():
    assert SshTarget("xen1", "root", 22).argv == ("-p", "22", "-l", "root", "--", "xen1")

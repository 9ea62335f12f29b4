"""A host's URL as fields and back: nothing of it is lost, and a password is never shown."""

import pytest

from app.pages.first_start import ANOTHER
from app.wizard.host_kinds import fields_of, host_kind_of, list_standard_values, url_of, values_of
from app.wizard.input_parsing import HOST_PLACEHOLDER, parse_host_url
from scheduler.errors import SpecError

SHOWN = [
    "local:",
    "sim:",
    "sim:/tmp/machine.json",
    "sim:?scheduler=credit",
    "sim:/tmp/m.json?scheduler=rtds&noise=shared&seed=7",
    "sim:?seed=7&scheduler=credit2",
    "xl:",
    "xl+ssh://root@lab1",
    "xl+ssh://lab1:2222",
    "xl+ssh://root@[fd00::1]:2222",
    "xapi://pool",
    "xapi://admin@pool:8443",
    "qemu:///system",
    "lxc:///system",
    "xen:///system",
    "qemu+ssh://root@lab1/system",
    "xen+ssh://root@lab1:22/system",
]
MORE = [
    "",
    "local",
    "local:?io=1",
    "fake:/tmp/x",
    "test:///default",
    "sim:?unheld=1:10",
    "sim:?seed=1&seed=2",
    "qemu+tls://lab1/system",
    "qemu:///session",
    "qemu+ssh://lab1/system?keyfile=/k",
    "xapi://pool?ssh=root@dom0",
    "xl+ssh://root:s3cret@lab1",
    "xl+ssh://root@lab1/x",
    "xl+ssh://@lab1",
]


@pytest.mark.parametrize("url", SHOWN)
def test_url_comes_back_from_its_fields(url: str):
    values = values_of(url)
    assert values is not None
    assert set(values) == set(fields_of(host_kind_of(url)))
    again = url_of(host_kind_of(url), values)
    assert sorted(again.replace("?", "&").split("&")) == sorted(url.replace("?", "&").split("&"))


@pytest.mark.parametrize("url", MORE)
def test_url_that_reports_more_has_no_fields(url: str):
    assert values_of(url) is None


def test_fields_without_a_name_mean_a_url_that_is_refused_until_it_has_one():
    for kind in ("xen", "xapi", "libvirt"):
        url = url_of(kind, list_standard_values(kind))
        assert HOST_PLACEHOLDER in url
        assert values_of(url)["host"] == ""
        with pytest.raises(SpecError, match="name is missing"):
            parse_host_url(url)
    assert url_of("xen", list_standard_values("xen")) == ANOTHER


def test_this_computer_needs_no_name():
    for kind in ("xen", "libvirt"):
        values = {**list_standard_values(kind), "where": "here"}
        assert "host" not in fields_of(kind, values)
        assert HOST_PLACEHOLDER not in url_of(kind, values)

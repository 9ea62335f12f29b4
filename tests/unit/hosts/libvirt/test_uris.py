"""Laws of libvirt's URIs: nothing asks on a terminal, no password stands in one, no host key is believed unseen."""

import pytest

from scheduler.errors import HostNotUsable, SpecError
from scheduler.hosts.libvirt.libvirt_uri import SECRET, USER, parse_uri, read_credentials


@pytest.mark.parametrize(
    ("text", "driver", "transport", "server", "here"),
    [
        ("qemu:///system", "qemu", "unix", "", True),
        ("lxc+unix:///system?socket=/run/x", "lxc", "unix", "", True),
        ("xen+ssh://root@h/system", "xen", "ssh", "h", False),
        ("qemu://h/system", "qemu", "tls", "h", False),
        ("test:///default", "test", "unix", "", True),
    ],
)
def test_uri_reports_where_it_leads(text, driver, transport, server, here):
    uri = parse_uri(text)
    assert (uri.driver, uri.transport, uri.server, uri.here) == (driver, transport, server, here)


def test_ssh_is_never_let_ask_on_a_terminal():
    assert parse_uri("qemu+ssh://h/system").asked_for == "qemu+ssh://h/system?no_tty=1"
    assert parse_uri("qemu+ssh://h/system?keyfile=/k&no_tty=0").asked_for.endswith("?keyfile=%2Fk&no_tty=1")
    assert parse_uri("qemu+ssh://h/system?No_TTY=0").asked_for == "qemu+ssh://h/system?no_tty=1"
    assert parse_uri("qemu:///system").asked_for == "qemu:///system"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("qemu+ssh://h/system?command=/tmp/x", "names a program"),
        ("qemu+ssh://h/system?no_verify=1", "believes any host key"),
        ("qemu+ssh://h/system?netcat=/tmp/x", "names a program"),
        ("qemu+libssh://h/system?known_hosts_verify=auto", "unverified host keys"),
        ("qemu+ssh://h/system?Command=/tmp/x", "names a program"),
        ("qemu+tls://h/system?NO_VERIFY=1", "believes any host key"),
        ("qemu+libssh://h/system?Known_Hosts_Verify=ignore", "unverified host keys"),
        ("qemu+tls://h/system?pkipath=/k;no_verify=1", "believes any host key"),
        ("qemu+libssh://h/system?keyfile=/k;known_hosts_verify=ignore", "unverified host keys"),
        ("vbox:///session", "not a libvirt URI"),
        ("qemu+rsh://h/system", "not a libvirt URI"),
        ("qemu://[::1/system", "not a libvirt URI"),
    ],
)
def test_what_would_run_programs_or_believe_anybody_is_refused(text, said):
    with pytest.raises(SpecError, match=said) as caught:
        parse_uri(text)
    assert caught.value.hint


def test_password_in_a_uri_is_refused_and_not_repeated():
    with pytest.raises(SpecError, match="holds a password") as caught:
        parse_uri("qemu+tcp://me:top-secret@h/system")
    assert "top-secret" not in f"{caught.value} {caught.value.hint}"
    assert SECRET in caught.value.hint


def test_user_and_password_come_from_the_environment(monkeypatch):
    uri = parse_uri("qemu+tls://me@h/system")
    assert read_credentials(uri) == ("me", "")
    monkeypatch.setenv(USER, "other")
    monkeypatch.setenv(SECRET, "word")
    assert read_credentials(uri) == ("other", "word")


@pytest.mark.parametrize("where", ["root%0a@h", "-l@h", "`id`@h", "root@-oProxyCommand=x", "a b@h", "root:@h"])
def test_uri_names_no_one_whom_ssh_or_a_shell_would_misread(where):
    with pytest.raises(SpecError):
        parse_uri(f"qemu+ssh://{where}/system")


def test_no_password_goes_over_a_connection_that_all_can_read(monkeypatch):
    monkeypatch.setenv(SECRET, "top-secret")
    with pytest.raises(HostNotUsable, match="sends no password") as caught:
        read_credentials(parse_uri("qemu+tcp://me@h/system"))
    assert "top-secret" not in f"{caught.value} {caught.value.hint}"
    assert read_credentials(parse_uri("qemu+tls://me@h/system"))[1] == "top-secret"

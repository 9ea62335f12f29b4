"""Laws of what libvirt refuses: its numbers and words become ours, and every one says what to do."""

import pytest

from scheduler.errors import (
    DomainGone,
    HostError,
    HostKeyChanged,
    HostNotUsable,
    HostUnreachable,
    LoginRefused,
    ParameterRefused,
)
from scheduler.hosts.libvirt.libvirt_errors import call_error, connection_lost_error, open_error
from scheduler.hosts.libvirt.libvirt_uri import SECRET, parse_uri
from scheduler.hosts.libvirt.worker_process import CallRefused

URI = parse_uri("qemu+ssh://root@h/system")

# In the words of libvirt 9.0, polkit and OpenSSH 9.2.
OPENING = [
    (38, "Failed to connect socket to '/run/libvirt-sock': No such file or directory", HostUnreachable, "listen"),
    (38, "Failed to connect socket to '/run/libvirt-sock': Permission denied", HostNotUsable, "this account"),
    (38, "End of file: root@h: Permission denied (publickey,password).", HostNotUsable, "ssh was refused"),
    (38, "End of file: Host key verification failed.", HostNotUsable, "not known here"),
    (38, "End of file: WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!", HostKeyChanged, "another ssh key"),
    (38, "ssh: connect to host h port 22: Connection refused", HostUnreachable, "no server listens"),
    (38, "ssh: Could not resolve hostname h: Name or service not known", HostUnreachable, "unknown"),
    (38, "sh: 1: nc: not found", HostUnreachable, "netcat"),
    (94, "authentication unavailable: no polkit agent available", HostNotUsable, "may not manage"),
    (45, "authentication failed", LoginRefused, "login was refused"),
    (1, "internal error: something new", HostUnreachable, "something new"),
]


@pytest.mark.parametrize(("code", "text", "kind", "said"), OPENING)
def test_why_a_host_cannot_be_opened_is_distinguished_from_its_words(code, text, kind, said):
    error = open_error(URI, CallRefused(code, 7, text))
    assert type(error) is kind
    assert said in str(error)
    assert error.hint


def test_refused_login_reports_where_a_password_is_taken_from():
    assert SECRET in open_error(URI, CallRefused(45, 7, "authentication failed")).hint


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (42, "Domain not found", DomainGone),
        (55, "Requested operation is not valid: domain is not running", DomainGone),
        (8, "invalid argument: shares '1' must be in range [2, 262144]", ParameterRefused),
        (0, "OverflowError: can't convert negative value to unsigned int", ParameterRefused),
        (1, "internal error: Failed to set scheduler parameters for domain '2' with libxenlight", ParameterRefused),
        (29, "operation forbidden: read only access prevents virDomainSetSchedulerParameters", HostNotUsable),
        (3, "this function is not supported by the connection driver", HostNotUsable),
        (84, "Operation not supported: CPU tuning is not available in session mode", HostNotUsable),
        (84, "Operation not supported: anything", HostNotUsable),
        (55, "Requested operation is not valid: cgroup CPU controller is not mounted", HostNotUsable),
        (1, "internal error: anything", HostError),
    ],
)
def test_what_was_not_done_is_named_by_what_happened(code, text, kind):
    error = call_error(URI, "io: setting weight to 5", CallRefused(code, 20, text))
    assert type(error) is kind
    assert "io: setting weight to 5" in str(error)


def test_not_done_of_a_session_daemon_names_the_system_one():
    session = parse_uri("qemu+ssh://root@h/session")
    text = "Operation not supported: CPU tuning is not available in session mode"
    error = call_error(session, "reading", CallRefused(84, 10, text))
    assert type(error) is HostNotUsable
    assert "qemu+ssh://root@h/system" in error.hint


def test_lost_host_names_the_way_back():
    assert "domtune restore" in connection_lost_error(URI, "client socket is closed").hint

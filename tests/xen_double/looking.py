"""What the tests of the doubled Xen host share."""

import threading
import time

from scheduler.model.split import GUEST

MOST_S = 60.0  # the double's xentop prints once a second, on a busy computer later


def weights(double):
    return [(each["weight"], each["cap"]) for each in double.parameters()]


def texts(facts, level):
    return " ".join(finding.text for finding in facts.findings if finding.level == level)


def until_gone(host):
    """Look at both domains until that ends with an error."""
    deadline_s = time.monotonic() + MOST_S
    while time.monotonic() < deadline_s:
        host.usage()
        threading.Event().wait(0.1)


def until_worked(host, seconds):
    """Look at the guest until it has used so much CPU time."""
    deadline_s = time.monotonic() + MOST_S
    while host.usage()[GUEST].user_s < seconds:
        assert time.monotonic() < deadline_s, f"the guest has not used {seconds} s of CPU time"
        threading.Event().wait(0.1)

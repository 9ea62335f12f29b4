"""What the tests of the doubled Xen host share."""

import threading

from scheduler.model.split import GUEST


def weights(double):
    return [(each["weight"], each["cap"]) for each in double.parameters()]


def texts(facts, level):
    return " ".join(finding.text for finding in facts.findings if finding.level == level)


def until_gone(host):
    for _ in range(80):
        host.usage()
        threading.Event().wait(0.1)


def until_worked(host, seconds):
    """Look at the guest until it has used so much CPU time."""
    for _ in range(200):
        if host.usage()[GUEST].user_s >= seconds:
            return
        threading.Event().wait(0.1)
    raise AssertionError(f"the guest has not used {seconds} s of CPU time")

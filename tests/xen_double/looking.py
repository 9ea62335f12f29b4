"""What the tests of the doubled Xen host share."""

import threading


def weights(double):
    return [(each["weight"], each["cap"]) for each in double.parameters()]


def texts(facts, level):
    return " ".join(finding.text for finding in facts.findings if finding.level == level)


def until_gone(host):
    for _ in range(80):
        host.usage()
        threading.Event().wait(0.1)

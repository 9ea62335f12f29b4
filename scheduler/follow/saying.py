"""What following says of itself: why it moved, why it holds. Gains are ratios minus 1 here."""

import math

from scheduler.follow.following import Decision, Hold
from scheduler.model.number_texts import percent
from scheduler.model.spec import Mode

_HOLDS = {
    Hold.GATHERING: "gathering windows of this load at this split",
    Hold.IDLE: "both domains together use under 0.05 CPUs",
    Hold.BLIND: "both domains use all that they may: what they need cannot be told",
    Hold.FREE: "nobody else wants a CPU that is full, so weights decide nothing",
    Hold.NEAR: "this split suits the load",
    Hold.LITTLE: "another split promises too little",
    Hold.ONCE: "another split promises more, and is set when it goes on promising it",
    Hold.CALM: "the load turns faster than it can be followed, so it is left alone for a while",
    Hold.TURN: "another arm has its turn, to be compared with",
    Hold.MISSING: "the host gives no counters that can be used",
}
NO_LIMITS = (
    "No split beats no limit: a limit lends nothing, so following never makes one where there was none. "
    "'domtune apply URL --split a:b', or a sweep's 'domtune apply RUN', is the deliberate way."
)


def hold_words(hold: Hold) -> str:
    """Return why nothing is changed."""
    return _HOLDS[hold]


def move_words(decision: Decision, mode: Mode) -> str:
    """Return why another split was set."""
    if decision.used_frac is None or decision.cost_ratio is None:
        return ""
    io, guest = decision.used_frac
    words = [
        f"The I/O domain used {percent(io)} of what it may, the guest {percent(guest)}.",
        f"A transaction costs the I/O domain {decision.cost_ratio:.2g} of what it costs the guest.",
    ]
    if decision.promise is not None and mode is Mode.PARTITION:
        words.append(f"Promised: {percent(math.expm1(decision.promise))} more (estimate).")
    return " ".join(words)

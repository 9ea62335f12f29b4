"""What following says of itself: why it moved, why it holds. Gains are ratios minus 1 here."""

import math

from scheduler.follow.move_decision import HoldReason, MoveDecision
from scheduler.model.number_texts import format_percent
from scheduler.model.spec import Mode

_HOLDS = {
    HoldReason.GATHERING: "gathering windows of this load at this split",
    HoldReason.IDLE: "both domains together use under 0.05 CPUs",
    HoldReason.BOTH_SATURATED: "both domains use all that they may: what they need cannot be told",
    HoldReason.NO_CONTENTION: "nobody else wants a CPU that is full, so weights decide nothing",
    HoldReason.AT_OPTIMUM: "this split suits the load",
    HoldReason.GAIN_TOO_SMALL: "another split promises too little",
    HoldReason.UNCONFIRMED: "another split promises more, and is set when it goes on promising it",
    HoldReason.COOLDOWN: "the load turns faster than it can be followed, so it is left alone for a while",
    HoldReason.COMPARISON: "another arm has its turn, to be compared with",
    HoldReason.MISSING: "the host gives no counters that can be used",
}
NO_LIMITS_HINT = (
    "No split beats no limit: a limit lends nothing, so following never makes one where there was none. "
    "'domtune apply URL --split a:b', or a sweep's 'domtune apply RUN', is the deliberate way."
)


def hold_words(hold: HoldReason) -> str:
    """Return why nothing is changed."""
    return _HOLDS[hold]


def move_words(decision: MoveDecision, mode: Mode) -> str:
    """Return why another split was set."""
    if decision.used_frac is None or decision.cost_ratio is None:
        return ""
    io, guest = decision.used_frac
    words = [
        f"The I/O domain used {format_percent(io)} of what it may, the guest {format_percent(guest)}.",
        f"A transaction costs the I/O domain {decision.cost_ratio:.2g} of what it costs the guest.",
    ]
    if decision.promise is not None and mode is Mode.PARTITION:
        words.append(f"Promised: {format_percent(math.expm1(decision.promise))} more (estimate).")
    return " ".join(words)

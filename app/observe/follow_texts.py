"""Texts of the follow page, with the same content as on the command line."""

from collections.abc import Sequence

from app.display_texts import (
    capitalise_first,
    format_duration,
    format_interval,
    format_percent,
    format_signed_percent,
    typeset_text,
)
from scheduler.model.number_texts import is_interval_known
from scheduler.model.observation_documents import (
    FollowAudit,
    FollowDone,
    FollowEnd,
    FollowGain,
    FollowHold,
    FollowStarted,
)
from scheduler.model.spec import Mode
from scheduler.translation import _

FOLLOWING = "following"
_AT_REST = frozenset({"near", "little", "once", "gathering"})


def state_words(hold: FollowHold | None, arm: str, t_s: float) -> str:
    """Return the current activity.

    Args:
        hold: Reason for a hold; None while moves are possible.
        arm: Variant of the current comparison period.
        t_s: Current time on the hold's clock, seconds.
    """
    if arm == "static":
        return _("Comparison period: fixed split")
    if arm == "found":
        return _("Comparison period: original settings")
    if hold is None or hold.reason == "turn":
        return _("Following")
    if hold.reason in _AT_REST:
        return _("Following: {why}").format(why=typeset_text(hold.text))
    if hold.until_s is not None and hold.until_s > t_s:
        words = _("Holding for another {time}: {why}")
        return words.format(time=format_duration(hold.until_s - t_s), why=typeset_text(hold.text))
    return _("Holding: {why}").format(why=typeset_text(hold.text))


def account_words(began: FollowStarted, gains: Sequence[FollowGain], *, over: bool = False) -> list[str]:
    """Return the known gains of following, one sentence each.

    Args:
        began: First line of the process.
        gains: Gains so far; empty for none.
        over: True after the end of following.
    """
    if gains:
        return [gain_words(gain, began.static.label) for gain in gains]
    if not began.database:
        return [_("Not measured: no database is given.")]
    if not began.account_pct:
        return [_("Not measured: no time is reserved for the fixed split.")]
    if over:
        words = _("No result: no pair of comparison periods of following and {static} was completed.")
        return [words.format(static=began.static.label)]
    words = _("No result yet. Periods of 10 min alternate between following and {static}.")
    return [words.format(static=began.static.label)]


def gain_words(gain: FollowGain, static: str) -> str:
    """Return a gain as a sentence, with its interval if known.

    Args:
        gain: The gain.
        static: Label of the static split.
    """
    if gain.slack and gain.time_frac is not None:
        return _time_words(gain, static)
    sentence = _compared_sentence(gain.over, _ends_text(gain.gain_frac, gain.low_frac, gain.high_frac), static)
    return f"{sentence} {_pairs_sentence(gain.blocks, planned=gain.planned)}"


def _time_words(gain: FollowGain, static: str) -> str:
    """Return the change of the time per transaction as sentences.

    If both domains have spare CPU, no split changes the rate.

    Args:
        gain: The gain; its `time_frac` is known.
        static: Label of the fixed split.
    """
    change = _ends_text(gain.time_frac, gain.time_low_frac, gain.time_high_frac)
    text = _("Time per transaction: {change}")
    sentence = _compared_sentence(gain.over, text.format(change=change), static)
    why = _("Throughput is limited by the clients: both domains have spare CPU.")
    return f"{sentence} {_pairs_sentence(gain.time_blocks, planned=gain.planned)} {why}"


def _compared_sentence(over: str, change: str, static: str) -> str:
    """Return a change with its reference as a sentence.

    Args:
        over: Reference: `static` for the fixed split, else the original settings.
        change: The change, with its interval.
        static: Label of the fixed split.
    """
    if over == "static":
        return _("{change}, compared with the fixed split {static}.").format(change=change, static=static)
    return _("{change}, compared with the original settings.").format(change=change)


def _ends_text(change_frac: float | None, low: float | None, high: float | None) -> str:
    """Return a change with its interval.

    Args:
        change_frac: The change.
        low: Lower end of its 95 % interval; None while unknown.
        high: Upper end.
    """
    change = format_signed_percent(change_frac)
    if low is None or high is None or not is_interval_known(low, high):
        return _("{change} (too few periods for an interval)").format(change=change)
    # Translators: {interval} is the 95 % interval of {change}, for example "+2 to +8 %".
    return _("{change} ({interval})").format(change=change, interval=format_interval(low, high))


def _pairs_sentence(pairs: int, *, planned: bool) -> str:
    """Return the number of compared pairs as a sentence.

    Args:
        pairs: Number of pairs.
        planned: True for the planned comparison, False for a comparison so far.
    """
    text = _("Pairs of comparison periods: {n}.") if planned else _("Pairs of comparison periods so far: {n}.")
    return text.format(n=pairs)


def observed_gain_words(audit: FollowAudit) -> str:
    """Return the predicted gain of a move and its observed change as a sentence."""
    words = _("Predicted gain {predicted}, observed {seen} (indicative: the load may have changed too).")
    return words.format(predicted=format_signed_percent(audit.predicted_gain), seen=format_signed_percent(audit.seen))


def audit_words(done: FollowDone) -> str:
    """Return the observed part of the predicted gains; empty for too few moves."""
    if done.audit_slope is None:
        return ""
    words = _("{part} of the predicted gain of {n} changes was observed (indicative: the load may have changed too).")
    return words.format(n=done.audited, part=format_percent(done.audit_slope))


def worst_case_words(began: FollowStarted) -> str:
    """Return the effect of the worst split of the range as a sentence."""
    if began.mode == Mode.WEIGHTS:
        words = _(
            "Worst case: {worst}. With weights its effect cannot be estimated: it depends on other guests' demand."
        )
        return words.format(worst=began.worst.label)
    if began.worst_frac is None:
        words = _("Worst case: {worst}. Its effect cannot be estimated: almost no CPU is used now.")
        return words.format(worst=began.worst.label)
    words = _("Worst case: at {worst}, about {part} of current throughput (estimate).")
    return words.format(worst=began.worst.label, part=format_percent(began.worst_frac))


def agreement_words(began: FollowStarted) -> list[str]:
    """Return the content of the consent, one sentence each."""
    set_now = _("DomTune changes the limits of both domains. Now: I/O domain {io}; guest {guest}.")
    if began.mode == Mode.WEIGHTS:
        set_now = _("DomTune changes the weights of both domains. Now: I/O domain {io}; guest {guest}.")
    keep = _("The total CPU allotted to both domains is unchanged. No limits are added. A reboot undoes the change.")
    ends = _(
        "Following ends after the chosen time, when you press Stop, or when another program changes a "
        "value on the host."
    )
    return [
        set_now.format(io=typeset_text(began.io_found), guest=typeset_text(began.guest_found)),
        worst_case_words(began),
        keep,
        _comparison_words(began),
        f"{ends} {_KEEPERS[began.guarded_by]()}",
    ]


def _comparison_words(began: FollowStarted) -> str:
    if not began.database:
        return _("No database is given, so the gain of following is not measured.")
    if not began.account_pct:
        return _("Commits are counted, but no time is reserved for the fixed split. The gain is not measured.")
    words = _("Commits are counted. For {part} of the time, the fixed split {static} is set for comparison.")
    return words.format(part=format_percent(began.account_pct / 100), static=began.static.label)


_KEEPERS = {
    "guard": lambda: _(
        "The current settings are restored afterwards. If DomTune dies, a guard on the host restores them."
    ),
    "local_guard": lambda: _(
        "The current settings are restored afterwards. If DomTune dies, a local guard restores them."
    ),
    "process": lambda: _("The current settings are restored afterwards. The simulated host ends with its process."),
}


def result_words(began: FollowStarted, done: FollowDone) -> str:
    """Return the result of a planned comparison as a headline; empty without a result.

    The headline states a gain only for an interval above 0, and a loss only for an interval below 0.

    Args:
        began: First line; names the static split and shows whether the machine is simulated.
        done: Last line; holds the gains.
    """
    found = [gain for gain in done.gains if gain.over == "static" and gain.planned]
    if not found:
        return ""
    gain, low, high = found[0].judged
    if low is None or high is None:
        ends = _("too few pairs of periods")
    else:
        ends = _("{low} to {high}").format(low=format_signed_percent(low), high=format_signed_percent(high))
    if began.simulated:
        ends = _("{ends}; simulated").format(ends=ends)
    words = _RESULTS[found[0].is_of_time, _interval_sign(low, high)]()
    return words.format(gain=format_percent(abs(gain)), static=began.static.label, ends=ends)


def _interval_sign(low: float | None, high: float | None) -> int:
    """Return 1 for an interval above 0, -1 for an interval below 0, else 0."""
    if low is None or high is None:
        return 0
    return (low > 0) - (high < 0)


_RESULTS = {
    (False, 1): lambda: _("Following gained {gain} over {static} ({ends})."),
    (False, 0): lambda: _("Following showed no certain gain over {static} ({ends})."),
    (False, -1): lambda: _("Following lost {gain} against {static} ({ends})."),
    (True, 1): lambda: _("With following, transactions took {gain} longer than at {static} ({ends})."),
    (True, 0): lambda: _(
        "With following, transactions took neither clearly longer nor clearly shorter than at {static} ({ends})."
    ),
    (True, -1): lambda: _("With following, transactions were {gain} shorter than at {static} ({ends})."),
}


def end_words(done: FollowDone) -> str:
    """Return the reason for the end."""
    match done.end:
        case FollowEnd.TIME:
            return _("Finished: the chosen time is over.")
        case FollowEnd.USER:
            return _("You stopped following.")
        case FollowEnd.EVIDENCE:
            return _("Ended early: following was slower than the fixed split.")
        case FollowEnd.HOST:
            return _("Following ended because of the host.")
        case _:
            return _("Following failed.")


def sum_words(done: FollowDone) -> str:
    """Return the duration and the number of changes by the tuner.

    Empty if following did not begin.
    """
    if not done.t_s:
        return ""
    # Translators: changes for the comparison periods are not counted.
    words = _("{n} changes by the tuner in {time}; on hold for {part} of the time.")
    if done.moves == 1:
        words = _("1 change by the tuner in {time}; on hold for {part} of the time.")
    return words.format(n=done.moves, time=format_duration(done.t_s), part=format_percent(done.hold_frac))


def as_sentence(text: str) -> str:
    """Return a text of the core as a sentence."""
    whole = typeset_text(capitalise_first(text)).rstrip()
    return whole if not whole or whole[-1] in ".!?" else f"{whole}."

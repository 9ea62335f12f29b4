"""Texts of the follow page, with the same content as on the command line."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

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

FOLLOWING = "following"
_AT_REST = frozenset({"near", "little", "once", "gathering"})


def _tr(text: str) -> str:
    return QCoreApplication.translate("follow", text)


def state_words(hold: FollowHold | None, arm: str, t_s: float) -> str:
    """Return the current activity.

    Args:
        hold: Reason for a hold; None while moves are possible.
        arm: Variant of the current comparison period.
        t_s: Current time on the hold's clock, seconds.
    """
    if arm == "static":
        return _tr("The static split has its turn, to be compared with")
    if arm == "found":
        return _tr("The original settings have their turn, to be compared with")
    if hold is None or hold.reason == "turn":
        return _tr("Following")
    if hold.reason in _AT_REST:
        return _tr("Following: {why}").format(why=typeset_text(hold.text))
    if hold.until_s is not None and hold.until_s > t_s:
        words = _tr("Holding for another {time}: {why}")
        return words.format(time=format_duration(hold.until_s - t_s), why=typeset_text(hold.text))
    return _tr("Holding: {why}").format(why=typeset_text(hold.text))


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
        return [_tr("Not measured: no database is named.")]
    if not began.account_pct:
        return [_tr("Not measured: no part of the time goes to the static split.")]
    if over:
        words = _tr("Not known: no pair of turns, of following and of {static}, came to its end.")
        return [words.format(static=began.static.label)]
    words = _tr("Not known yet: turns of 10 min each, of following and of {static}, are compared.")
    return [words.format(static=began.static.label)]


def gain_words(gain: FollowGain, static: str) -> str:
    """Return a gain as a sentence, with its interval if known.

    Args:
        gain: The gain.
        static: Label of the static split.
    """
    over = (
        _tr("the static split {static}").format(static=static)
        if gain.over == "static"
        else _tr("the original settings")
    )
    so_far = "" if gain.planned else _tr(" so far")
    if gain.slack and gain.time_frac is not None:
        return _time_words(gain, over, so_far)
    pairs = _tr("1 pair of turns") if gain.blocks == 1 else _tr("{n} pairs of turns").format(n=gain.blocks)
    what = format_signed_percent(gain.gain_frac)
    if gain.low_frac is None or gain.high_frac is None or not is_interval_known(gain.low_frac, gain.high_frac):
        words = _tr("{what} over {over}{so_far}, in {pairs}: too few to say more.")
        return words.format(what=what, over=over, so_far=so_far, pairs=pairs)
    ends = format_interval(gain.low_frac, gain.high_frac)
    words = _tr("{what} ({ends}) over {over}{so_far}, in {pairs}.")
    return words.format(what=what, ends=ends, over=over, so_far=so_far, pairs=pairs)


def _time_words(gain: FollowGain, over: str, so_far: str) -> str:
    """Return the change of the time per transaction as a sentence.

    If both domains have slack, no split changes the rate.
    """
    blocks = gain.time_blocks
    pairs = _tr("1 pair of turns") if blocks == 1 else _tr("{n} pairs of turns").format(n=blocks)
    what, why = format_signed_percent(gain.time_frac), _tr("The rate is the clients', since both domains have slack.")
    low, high = gain.time_low_frac, gain.time_high_frac
    if low is None or high is None or not is_interval_known(low, high):
        words = _tr("{what} time per transaction against {over}{so_far}, in {pairs}: too few to say more. {why}")
        return words.format(what=what, over=over, so_far=so_far, pairs=pairs, why=why)
    ends = format_interval(low, high)
    words = _tr("{what} ({ends}) time per transaction against {over}{so_far}, in {pairs}. {why}")
    return words.format(what=what, ends=ends, over=over, so_far=so_far, pairs=pairs, why=why)


def observed_gain_words(audit: FollowAudit) -> str:
    """Return the predicted gain of a move and its observed change as a sentence."""
    words = _tr("{promised} was promised, {seen} seen (a hint: the load may have changed, too).")
    return words.format(promised=format_signed_percent(audit.predicted_gain), seen=format_signed_percent(audit.seen))


def audit_words(done: FollowDone) -> str:
    """Return the observed part of the predicted gains; empty for too few moves."""
    if done.audit_slope is None:
        return ""
    words = _tr("Of what {n} moves promised, {part} was seen: a hint, since a load that changed is in it, too.")
    return words.format(n=done.audited, part=format_percent(done.audit_slope))


def worst_case_words(began: FollowStarted) -> str:
    """Return the effect of the worst split of the range as a sentence."""
    if began.mode == Mode.WEIGHTS:
        words = _tr(
            "What the worst of them, {worst}, would do cannot be foretold: what weights give depends on others."
        )
        return words.format(worst=began.worst.label)
    if began.worst_frac is None:
        words = _tr("What the worst of them, {worst}, would cost cannot be told: next to no CPU is used now.")
        return words.format(worst=began.worst.label)
    words = _tr("The worst of them, {worst}, would do {part} of what this load does now (estimate).")
    return words.format(worst=began.worst.label, part=format_percent(began.worst_frac))


def agreement_words(began: FollowStarted) -> list[str]:
    """Return the content of the consent, one sentence each."""
    kind = _tr("weights") if began.mode == Mode.WEIGHTS else _tr("limits")
    set_now = _tr("Changed are the {kind} of both domains. Now: I/O domain {io}; guest {guest}.")
    keep = _tr("Both domains together keep what they have; no limit is made that was not there; a reboot ends it.")
    ends = _tr("It ends when its time is over, when you press Stop, or when somebody else sets a value there.")
    return [
        set_now.format(kind=kind, io=typeset_text(began.io_found), guest=typeset_text(began.guest_found)),
        worst_case_words(began),
        keep,
        _comparison_words(began),
        f"{ends} {_KEEPERS[began.guarded_by]()}",
    ]


def _comparison_words(began: FollowStarted) -> str:
    if not began.database:
        return _tr("No database is named: what following brings is not measured.")
    if not began.account_pct:
        return _tr("Commits are counted, but no part of the time goes to the static split: nothing is compared.")
    words = _tr("Commits are counted; {part} of the time goes to {static}, to compare with.")
    return words.format(part=format_percent(began.account_pct / 100), static=began.static.label)


_KEEPERS = {
    "guard": lambda: _tr("Then both get back what they have now; if DomTune dies, a guard on the host does that."),
    "local_guard": lambda: _tr("Then both get back what they have now; if DomTune dies, a keeper process does that."),
    "process": lambda: _tr("Then both get back what they have now; being simulated, it ends with its process."),
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
        ends = _tr("too few pairs of periods")
    else:
        ends = _tr("{low} to {high}").format(low=format_signed_percent(low), high=format_signed_percent(high))
    if began.simulated:
        ends = _tr("{ends}; simulated").format(ends=ends)
    words = _RESULTS[found[0].is_of_time, _interval_sign(low, high)]()
    return words.format(gain=format_percent(abs(gain)), static=began.static.label, ends=ends)


def _interval_sign(low: float | None, high: float | None) -> int:
    """Return 1 for an interval above 0, -1 for an interval below 0, else 0."""
    if low is None or high is None:
        return 0
    return (low > 0) - (high < 0)


_RESULTS = {
    (False, 1): lambda: _tr("Following brought {gain} over {static} ({ends})."),
    (False, 0): lambda: _tr("Following showed no certain gain over {static} ({ends})."),
    (False, -1): lambda: _tr("Following brought {gain} less than {static} ({ends})."),
    (True, 1): lambda: _tr("Following made transactions {gain} longer than {static} ({ends})."),
    (True, 0): lambda: _tr(
        "Following made transactions neither shorter nor longer than {static} for certain ({ends})."
    ),
    (True, -1): lambda: _tr("Following made transactions {gain} shorter than {static} ({ends})."),
}


def end_words(done: FollowDone) -> str:
    """Return the reason for the end."""
    match done.end:
        case FollowEnd.TIME:
            return _tr("Its time is over.")
        case FollowEnd.USER:
            return _tr("You ended it.")
        case FollowEnd.EVIDENCE:
            return _tr("Ended early: following brought less than the fixed split.")
        case FollowEnd.HOST:
            return _tr("The host ended it.")
        case _:
            return _tr("It failed.")


def sum_words(done: FollowDone) -> str:
    """Return the duration and the number of moves; empty if following did not begin."""
    if not done.t_s:
        return ""
    moves = _tr("1 move") if done.moves == 1 else _tr("{n} moves").format(n=done.moves)
    words = _tr("{moves} in {time}, {part} of the time on hold.")
    return words.format(moves=moves, time=format_duration(done.t_s), part=format_percent(done.hold_frac))


def as_sentence(text: str) -> str:
    """Return a text of the core as a sentence."""
    whole = typeset_text(capitalise_first(text)).rstrip()
    return whole if not whole or whole[-1] in ".!?" else f"{whole}."

"""Print the lines of following: for a program as they are, for people moves, long holds and gains."""

from scheduler.commands.command_output import print_json, print_lines
from scheduler.model.follow_documents import (
    FollowAudit,
    FollowDone,
    FollowEnd,
    FollowGain,
    FollowHold,
    FollowLine,
    FollowMove,
    FollowPeriod,
    FollowStarted,
    FollowWindow,
)
from scheduler.model.number_texts import (
    format_duration,
    format_interval,
    format_percent,
    format_signed_percent,
    is_interval_known,
)
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.spec import Mode

LONG_S = 300.0  # a hold of that length has a line of its own
_ARMS = {"static": "the static split", "found": "the original settings"}
_ENDS = {
    FollowEnd.TIME: "Its time is over.",
    FollowEnd.USER: "You ended it.",
    FollowEnd.EVIDENCE: "Ended early: following brought less than the fixed split.",
    FollowEnd.HOST: "The host ended it.",
    FollowEnd.FAILED: "It failed.",
    FollowEnd.DECLINED: "Nothing was written.",
}


class FollowPrinter:
    """Prints lines.

    Args:
        as_json: Every line as an object.
        quiet: For people only the end.
        simulated: True for a simulated host, of which nothing is called measured.
    """

    def __init__(self, *, as_json: bool, quiet: bool, simulated: bool) -> None:
        self._as_json, self._quiet = as_json, quiet
        self._hold: FollowHold | None = None
        self._gains: tuple[FollowGain, ...] = ()
        self._told = False
        self._simulated = simulated

    def print_line(self, line: FollowLine) -> None:
        """Print one, if it is to be printed. Raises OutputLost."""
        if self._as_json:
            print_json(line)
        elif isinstance(line, FollowDone):
            print_lines(*done_words(line, simulated=self._simulated))
        elif not self._quiet:
            print_lines(*self._line_words(line))

    def _line_words(self, line: FollowLine) -> list[str]:
        match line:
            case FollowMove():
                return [f"{_clock_text(line.t_s)}  {line.before} -> {line.after}. {line.text}"]
            case FollowAudit():
                seen = f"{format_signed_percent(line.promise)} was promised, {format_signed_percent(line.seen)} seen"
                return [
                    f"{_clock_text(line.moved_s)}  looked at since: {seen} (a hint: the load may have changed, too)."
                ]
            case FollowHold():
                self._hold, self._told = line, False
                return []
            case FollowWindow() if self._hold is not None and not self._told:
                return self._long_hold(line.t_s, self._hold)
            case FollowPeriod():
                before, self._gains = self._gains, line.gains
                return [f"{_clock_text(line.t_s)}  {gain_words(gain)}" for gain in line.gains if gain not in before]
            case _:
                return []

    def _long_hold(self, t_s: float, hold: FollowHold) -> list[str]:
        if t_s - hold.t_s < LONG_S or hold.reason == "turn":
            return []
        self._told = True
        until = "" if hold.until_s is None else f", until {_clock_text(hold.until_s)}"
        return [f"{_clock_text(hold.t_s)}  holding since then: {hold.text}{until}"]


def question_words(began: FollowStarted) -> list[str]:
    """Return what a person is told before the question."""
    shares = began.mode == Mode.SHARE
    harm = f"The worst of them cannot be foretold: what weights give depends on others. {began.worst} is the farthest."
    counts = "Commits are counted" if began.database else "No database is named: what it brings is not measured"
    return [
        "SIMULATED: nothing here happens on a machine" if began.simulated else "",
        f"{began.title} ({began.host})",
        f"  found: {began.found} ({'weights' if shares else 'limits'}: {began.io_found}; {began.guest_found})",
        f"For {format_duration(began.for_s)}, splits from {began.range_low} to {began.range_high} may be "
        "set at any time.",
        harm if shares else worst_case_words(began),
        "Nothing is made that was not there: both domains together keep what they have, and nothing outlives a reboot.",
        f"{counts}{_account_words(began)}.",
        f"It is restored at the end, on Ctrl+C, and by {_KEEPERS[began.guarded_by]} if this program dies.",
        *began.warnings,
    ]


_KEEPERS = {
    "guard": "a guard on the host",
    "keeper": "a keeper process on this computer",
    "process": "its own end, being simulated,",
}


def worst_case_words(began: FollowStarted) -> str:
    """Return what the worst split of the range costs, as a sentence."""
    worst, part = began.worst, began.worst_frac
    if part is None:
        return f"What the worst of them, {worst}, would cost cannot be told: next to no CPU is used now."
    return f"The worst of them, {worst}, would do {format_percent(part)} of what this load does now (estimate)."


def _account_words(began: FollowStarted) -> str:
    if not began.account_pct:
        return ""
    return f"; {began.account_pct} % of the time go to {began.static}, to compare with"


def done_words(done: FollowDone, *, simulated: bool = False) -> list[str]:
    """Return the end, for people; nothing of a simulated host is called measured."""
    if done.end is FollowEnd.DECLINED:
        return [_ENDS[done.end]]
    back = (
        "The original settings of both domains are restored and verified."
        if done.restored
        else "NOT ALL ORIGINAL SETTINGS ARE RESTORED."
    )
    if done.busy:
        back = "Nothing was touched."
    detail = "" if done.end is FollowEnd.TIME else done.reason
    moves = "1 move" if done.moves == 1 else f"{done.moves} moves"
    return [
        join_sentences(_ENDS[done.end], detail),
        back,
        done.hint,
        f"{moves} in {format_duration(done.t_s)}, {format_percent(done.hold_frac)} of the time on hold."
        if done.t_s
        else "",
        *(f"{'Simulated' if simulated else 'Measured'}: {gain_words(gain)}" for gain in done.gains),
        audit_words(done),
        *done.remarks,
    ]


def gain_words(gain: FollowGain) -> str:
    """Return a gain as a sentence: of the rate; where that is the clients', of what a transaction takes."""
    over = _ARMS[gain.over]
    so_far = "" if gain.planned else " so far"
    if gain.slack and gain.time_frac is not None:
        change = _change_words(gain.time_frac, gain.time_low_frac, gain.time_high_frac)
        what = f"{change} time per transaction against {over}{so_far}, in {_pairs_words(gain.time_blocks)}"
        why = "The rate is the clients', since both domains have slack."
        known = _has_interval(gain.time_low_frac, gain.time_high_frac)
        return f"{what}. {why}" if known else f"{what}: too few to say more. {why}"
    what = (
        f"{_change_words(gain.gain_frac, gain.low_frac, gain.high_frac)} over {over}{so_far}, in "
        f"{_pairs_words(gain.blocks)}"
    )
    return f"{what}." if _has_interval(gain.low_frac, gain.high_frac) else f"{what}: too few to say more."


def audit_words(done: FollowDone) -> str:
    """Return how much of what moves promised was seen; empty where too few could be looked at."""
    if done.audit_slope is None:
        return ""
    part = f"Of what {done.audited} moves promised, {format_percent(done.audit_slope)} was seen"
    return f"{part}: a hint, since a load that changed is in it, too."


def _change_words(frac: float, low: float | None, high: float | None) -> str:
    ends = (
        f" ({format_interval(low, high)})"
        if low is not None and high is not None and is_interval_known(low, high)
        else ""
    )
    return f"{format_signed_percent(frac)}{ends}"


def _has_interval(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and is_interval_known(low, high)


def _pairs_words(count: int) -> str:
    return "1 pair of epochs" if count == 1 else f"{count} pairs of epochs"


def _clock_text(t_s: float) -> str:
    return f"{int(t_s // 3600)}:{int(t_s % 3600 // 60):02d}:{int(t_s % 60):02d}"

"""Report of a watch: a split, its certainty, and every reason for doubt.

A gain is a ratio minus 1. The estimated gain of a split is no order by itself. The interval of the gain is Student's t
over stretches of ten minutes, since single minutes of a load depend on each other. The error of the model widens the
interval. An I/O domain whose CPU use does not follow the load has no gain that could be estimated. A program that polls
uses CPU without need.
"""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from scheduler.follow.aggregation import WatchSummary
from scheduler.follow.gain_model import AS_GOOD_FRAC, BestStaticSplit, LoadMinute, best_static, grid_index
from scheduler.follow.split_rule import BLIND_FRAC, PairUsage, find_target_split, find_whole_cpus, rounded_split
from scheduler.model.decision import DecisionKind
from scheduler.model.number_texts import (
    format_duration,
    format_interval,
    format_percent,
    format_signed_percent,
    format_table_number,
    format_times,
    format_times_digits,
)
from scheduler.model.observation_documents import WatchOutlook
from scheduler.model.spec import Mode
from scheduler.stats.student import student_quantile
from scheduler.translation import _, ngettext

STRETCH_MIN = 10
LEAST_STRETCHES = 3
WORTH_FRAC = AS_GOOD_FRAC  # smallest gain that is worth a change
_ERROR_FRAC = 0.05
_MODEL_ERROR_FRAC = 0.5  # of ln(gain); predicted and measured gains of a recorded sweep were up to 20 % apart
_ALWAYS_FRAC = 0.9  # of the minutes
_CONSTANT, _CHANGING = 0.15, 0.5  # spread of ln(CPU used) over the middle 80 % of the minutes


class WatchDecision(msgspec.Struct, frozen=True):
    """Decision about one static split.

    Attributes:
        kind: Kind of decision; only `change` is an order.
        low_frac: Lower end of the gain's interval, > -1; None with too few minutes, or where no gain can be estimated.
        high_frac: Upper end of the gain's interval; None when `low_frac` is None.
        doubt: Reason why the I/O domain's CPU use may not be need, a sentence; empty when its use follows the load.
    """

    kind: DecisionKind
    low_frac: float | None = None
    high_frac: float | None = None
    doubt: str = ""

    @property
    def enough(self) -> bool:
        """True when the minutes are enough for an order of any kind."""
        return self.low_frac is not None


def decide_split(minutes: Sequence[LoadMinute], place: int) -> WatchDecision:
    """Return the decision about a split.

    Args:
        minutes: The minutes in which the limits decided something, in order; at least one.
        place: Index of the split on the grid.
    """
    doubt = find_usage_doubt(minutes)
    if doubt:
        return WatchDecision(DecisionKind.UNKNOWN, doubt=doubt)
    ends = _gain_interval([float(minute.gains[place]) for minute in minutes])
    if ends is None:
        return WatchDecision(DecisionKind.NOT_YET)
    gain = math.expm1(float(np.mean([minute.gains[place] for minute in minutes])))
    low, high = (math.expm1(end) for end in ends)
    kind = DecisionKind.NOT_YET
    if low > 0 and gain >= WORTH_FRAC:
        kind = DecisionKind.CHANGE
    elif high < WORTH_FRAC:
        kind = DecisionKind.STAY
    return WatchDecision(kind, low, high)


def find_usage_doubt(minutes: Sequence[LoadMinute]) -> str:
    """Return the reason why the I/O domain's CPU use may not be need; else empty.

    The reason is a sentence. With too few minutes for an order there is no doubt either.
    """
    if len(minutes) < LEAST_STRETCHES * STRETCH_MIN:
        return ""
    saturated = sum(minute.io_saturated for minute in minutes) / len(minutes)
    if saturated >= _ALWAYS_FRAC:
        return _(
            "The I/O domain was saturated in {saturated} of the minutes, whatever the load did: "
            "a program that polls or spins looks the same as need."
        ).format(saturated=format_percent(saturated))
    io, guest = (_log_spread([getattr(minute.use, name) for minute in minutes]) for name in ("io_cpus", "guest_cpus"))
    if io < _CONSTANT and guest > _CHANGING:
        return _(
            "The I/O domain used the same CPU while the use of the guest changed. Programs that poll or spin do that; "
            "real demand does not."
        )
    return ""


def _gain_interval(gains: Sequence[float]) -> tuple[float, float] | None:
    """Return the interval of the mean ln(gain); None with too few minutes."""
    count = len(gains) // STRETCH_MIN
    if count < LEAST_STRETCHES:
        return None
    means = [float(np.mean(part)) for part in np.array_split(np.array(gains), count)]
    mean = math.fsum(means) / count
    half = student_quantile(count - 1, 1 - _ERROR_FRAC / 2) * float(np.std(means, ddof=1)) / math.sqrt(count)
    both = math.hypot(half, _MODEL_ERROR_FRAC * mean)
    return mean - both, mean + both


def _log_spread(cpus: Sequence[float]) -> float:
    low, high = np.quantile(np.log(np.maximum(cpus, 1e-6)), (0.1, 0.9))
    return float(high - low)


LITTLE_FRAC, TRIAL_FRAC = 0.02, 0.05
_MOST = 0.5  # of the minutes
_ENOUGH_FRAC = AS_GOOD_FRAC  # a split with a smaller gain is not worth setting
_SLOW_TPS = 0.1  # a database with fewer transactions while its guest works is probably not the one in use

_SPINS = _(
    "Set another split for an hour and watch again. If the I/O domain uses all of its new share, it spins. "
    "A sweep measures the gain."
)
_USES = ("io_cpus", "guest_cpus")
_LOOKS_LIKE_NEED = _("CPU-hungry programs (backups, busy polling) are counted as demand.")
_LENDS_NOTHING = _(
    "Caps leave unused CPU idle. If you do not need isolation, removing the caps is faster than any split."
)


class WatchReport(msgspec.Struct, frozen=True, kw_only=True):
    """Report of a watch.

    Attributes:
        outlook: Kind of result.
        decision: Decision about setting the named split; only `change` is an order.
        headline: The result as a sentence.
        reasons: Reasons and doubts, sentences.
        log_ratio: The best static split, ln(I/O domain / guest); None when no split can be named.
        gain_frac: Estimated gain of that split over the split that was set; None when it cannot be estimated.
        gain_low_frac: Lower end of its interval; None with too few minutes for an order, or where use may not be need.
        gain_high_frac: Upper end of its interval; None when `gain_low_frac` is None.
        following_frac: Estimated gain of following over that split; None when it cannot be estimated.
        as_good: Range of splits with the same estimated gain, ln(I/O domain / guest); None when no split is named.
    """

    outlook: WatchOutlook
    decision: DecisionKind = DecisionKind.UNKNOWN
    headline: str
    reasons: tuple[str, ...] = ()
    log_ratio: float | None = None
    gain_frac: float | None = None
    gain_low_frac: float | None = None
    gain_high_frac: float | None = None
    following_frac: float | None = None
    as_good: tuple[float, float] | None = None


def build_report(seen: WatchSummary) -> WatchReport:
    """Return the report of a watch."""
    reported = _report_nothing(seen) or _report_weights(seen) or _report_split(seen)
    return msgspec.structs.replace(reported, reasons=(*reported.reasons, *_list_doubts(seen)))


def _report_nothing(seen: WatchSummary) -> WatchReport | None:
    """Return the report when no split can be named, else None."""
    if seen.windows and seen.idle > _MOST * seen.windows and not _decisive_minutes(seen):
        text = _("No load: both domains together used under 0.05 CPUs most of the time.")
        return WatchReport(
            outlook=WatchOutlook.IDLE, headline=text, reasons=(_("Watch again while the load is running."),)
        )
    if not seen.minutes:
        text = _("Not enough data to recommend a split.")
        return WatchReport(
            outlook=WatchOutlook.UNKNOWN,
            headline=text,
            reasons=(_("Watch longer, and do not change the split meanwhile."),),
        )
    blind = sum(minute.blind for minute in seen.minutes)
    if seen.standing.mode is Mode.CAPS and blind > _MOST * len(seen.minutes):
        text = _("No recommendation: both domains used over {blind_frac} of the CPU allotted.").format(
            blind_frac=format_percent(BLIND_FRAC)
        )
        why = _("The CPU used then only reflects the current split, not the demand of the load.")
        return WatchReport(
            outlook=WatchOutlook.BLIND, headline=text, reasons=(why, _("A sweep can decide: run 'domtune run'."))
        )
    return None


def _report_weights(seen: WatchSummary) -> WatchReport | None:
    """Return the report on weights, and on limits that decided nothing, else None."""
    weighed = [minute for minute in seen.minutes if minute.weighs]
    if seen.standing.mode is Mode.CAPS:
        return _report_crowded_out() if len(weighed) < _MOST * len(seen.minutes) else None
    if weighed:
        return _report_by_weights(seen, weighed)
    text = _("The weights had no effect: the CPU was never saturated.")
    reasons = [_("Each domain can use the CPU time that the other leaves. Other weights would gain nothing.")]
    if seen.full:
        text = _("The weights had no effect: only the two domains used the CPU.")
    if not seen.others_known:
        text = _("The weights had no visible effect: {partition}").format(partition=text.partition(": ")[2])
        reasons.append(
            _("This host does not report other programs on these CPUs. Weights matter when others saturate the CPUs.")
        )
    return WatchReport(outlook=WatchOutlook.NOTHING, decision=DecisionKind.STAY, headline=text, reasons=tuple(reasons))


def _report_crowded_out() -> WatchReport:
    text = _("The caps had no effect: other programs saturated the CPU, and neither domain reached its cap.")
    why = _("Stop the other programs or give the domains more weight. Then watch again.")
    return WatchReport(outlook=WatchOutlook.NOTHING, decision=DecisionKind.STAY, headline=text, reasons=(why,))


def _report_by_weights(seen: WatchSummary, weighed: list[LoadMinute]) -> WatchReport:
    """Return the report on weights, without a gain, which depends on other programs."""
    static = best_static(weighed)
    part = format_percent(len(weighed) / len(seen.minutes))
    split = rounded_split(static.log_ratio).label
    text = _("Recommended split: {split}. The weights mattered in {part} of the minutes.").format(
        split=split, part=part
    )
    return WatchReport(
        outlook=WatchOutlook.STATIC,
        headline=text,
        reasons=(_("The gain cannot be estimated: with weights it depends on the demand of other guests."),),
        log_ratio=static.log_ratio,
    )


def _report_split(seen: WatchSummary) -> WatchReport:
    useful = _decisive_minutes(seen)
    static = best_static(useful)
    decision = decide_split(useful, grid_index(static.log_ratio))
    gain, log_ratio = math.expm1(static.gain), static.log_ratio
    following = math.expm1(static.following)
    if -_ENOUGH_FRAC < gain < _ENOUGH_FRAC and not seen.changes and _is_near(static, seen):
        log_ratio, gain = seen.standing.allowed.log_ratio, 0.0
    is_set = log_ratio == seen.standing.allowed.log_ratio
    reasons = () if is_set else _saturation_reasons(useful)
    outlook = _classify_outlook(following)
    if decision.doubt:
        outlook, reasons = WatchOutlook.SPINNING, (decision.doubt, _SPINS)
    reported = WatchReport(
        outlook=outlook,
        decision=decision.kind,
        headline="",
        reasons=reasons,
        log_ratio=log_ratio,
        gain_frac=gain,
        gain_low_frac=None if is_set else decision.low_frac,
        gain_high_frac=None if is_set else decision.high_frac,
        following_frac=None if decision.doubt else following,
        as_good=(min(static.low, log_ratio), max(static.high, log_ratio)),
    )
    return msgspec.structs.replace(
        reported, headline=_build_headline(reported, decision, rounded_split(log_ratio).label, is_set=is_set)
    )


def _build_headline(told: WatchReport, decision: WatchDecision, split: str, *, is_set: bool) -> str:
    """Return the headline by decision and outlook.

    Args:
        told: The report so far.
        decision: Decision about the split.
        split: Label of the split.
        is_set: True when the split is set already.
    """
    gain = told.gain_frac or 0.0
    if decision.doubt:
        what = (
            _("another split may gain")
            if is_set
            else _("{split} may reach {gain_words} (estimate)").format(split=split, gain_words=_gain_words(gain))
        )
        return _("No recommendation: {what}, but the CPU used by the I/O domain may not be demand.").format(what=what)
    if told.outlook is WatchOutlook.TRIAL and decision.enough:
        how = _("is set") if is_set else format_signed_percent(gain)
        more = format_percent(told.following_frac or 0.0)
        return _("Following is worth it: {more} over the best fixed split, {split} ({how}; estimates).").format(
            more=more, split=split, how=how
        )
    after = _following_words(told.following_frac or 0.0)
    if decision.kind is DecisionKind.CHANGE:
        return _("Recommended split: {split}, {gain_words} (estimate{interval_words}). {after}").format(
            split=split, gain_words=_gain_words(gain), interval_words=_interval_words(decision), after=after
        )
    if decision.kind is DecisionKind.STAY:
        best = "" if is_set else _(", not even {split}").format(split=split)
        return _("Keep the current split: no split gains {worth_frac}{best} (estimate). {after}").format(
            worth_frac=format_percent(WORTH_FRAC), best=best, after=after
        )
    what = (
        _("another split may gain a little")
        if is_set
        else _("{split} may reach {gain_words}").format(split=split, gain_words=_gain_words(gain))
    )
    if not decision.enough:
        least_min = LEAST_STRETCHES * STRETCH_MIN
        return _("Keep the current split for now: {what} (estimate of less than {least_min} minutes). {after}").format(
            what=what, least_min=least_min, after=after
        )
    return _("Keep the current split for now: {what} (estimate{interval_words}). {after}").format(
        what=what, interval_words=_interval_words(decision), after=after
    )


def _interval_words(decision: WatchDecision) -> str:
    """Return the interval of a gain as a suffix; empty without an interval."""
    low, high = decision.low_frac, decision.high_frac
    if low is None or high is None:
        return ""
    return (
        _(", {low} to {high}").format(low=format_times_digits(1 + low), high=format_times(1 + high))
        if high > 1.5
        else f", {format_interval(low, high)}"
    )


def _is_near(static: BestStaticSplit, seen: WatchSummary) -> bool:
    return abs(static.log_ratio - seen.standing.allowed.log_ratio) < math.log(1.5)


def _gain_words(gain: float) -> str:
    if gain > 1.5:
        return _("{gain} the current throughput").format(gain=format_times(1 + gain))
    return (
        _("{gain} over the current split").format(gain=format_percent(gain))
        if gain >= 0
        else _("about as much as the current split")
    )


def _classify_outlook(following: float) -> WatchOutlook:
    if following < LITTLE_FRAC:
        return WatchOutlook.STATIC
    return WatchOutlook.LITTLE if following < TRIAL_FRAC else WatchOutlook.TRIAL


def _following_words(following: float) -> str:
    gain = format_percent(following)
    match _classify_outlook(following):
        case WatchOutlook.STATIC:
            return _("Following would gain another {gain} (estimate).").format(gain=gain)
        case WatchOutlook.LITTLE:
            return _("Following would gain only another {gain} (estimate).").format(gain=gain)
        case _:
            return _("Following would gain another {gain} (estimate).").format(gain=gain)


def _decisive_minutes(seen: WatchSummary) -> list[LoadMinute]:
    return [minute for minute in seen.minutes if minute.weighs and not minute.blind]


def _saturation_reasons(minutes: list[LoadMinute]) -> tuple[str, ...]:
    starved = sum(minute.starved for minute in minutes)
    if starved <= _MOST * len(minutes):
        return ()
    return (
        _(
            "One domain was saturated, so this split is a first step. Set the split, then watch again. The full demand "
            "shows only with more CPU."
        ),
    )


def _list_doubts(seen: WatchSummary) -> tuple[str, ...]:
    """Return further remarks and doubts, for any report."""
    doubts = list(seen.remarks)
    if seen.ended:
        after = format_duration(seen.watched_s)
        doubts.append(
            _("It was stopped after {after}.").format(after=after)
            if seen.stopped
            else _("It ended after {after}: {ended}.").format(after=after, ended=seen.ended)
        )
    if seen.changes:
        text = ngettext(
            "Another program or person set a different split once. The minutes around the change are excluded.",
            "Another program or person set a different split {n} times. The minutes around each change are excluded.",
            seen.changes,
        )
        doubts.append(text.format(n=seen.changes))
    lost = {reason: count for reason, count in seen.dropped.items() if "split was set" not in reason}
    if lost:
        worst = max(lost, key=lambda reason: lost[reason])
        doubts.append(
            _("{lost} of the windows of 10 s could not be used, most of them because {worst}.").format(
                lost=sum(lost.values()), worst=worst
            )
        )
    tps = seen.commits / seen.commits_s if seen.commits is not None and seen.commits_s else None
    if tps is not None and tps < _SLOW_TPS and _decisive_minutes(seen):
        doubts.append(_("The database's counter does not follow the load: is it the one that the guest runs?"))
    doubts += _describe_whole_cpus(seen)
    if seen.minutes and seen.standing.mode is Mode.CAPS:
        doubts += (_LOOKS_LIKE_NEED, _LENDS_NOTHING)
    return tuple(doubts)


def _describe_whole_cpus(seen: WatchSummary) -> list[str]:
    """Return a sentence with the whole CPUs that each domain needs; empty on one."""
    if seen.cpus < 2 or not seen.minutes:
        return []
    io, guest = (float(np.mean([getattr(each.use, name) for each in seen.minutes])) for name in _USES)
    use = PairUsage(io, guest)
    pointed = find_target_split(use, seen.standing.allowed)
    if pointed is None:
        return []
    vcpus = [int(min(most, seen.cpus)) for most in seen.standing.allowed.most_cpus]
    number = find_whole_cpus(use, pointed.log_ratio, seen.cpus, (vcpus[0], vcpus[1]))
    used = _("{io} and {guest}").format(io=format_table_number(io, 1), guest=format_table_number(guest, 1))
    return [
        _(
            "With CPUs of their own, the I/O domain needs {number} of {cpus}, and the guest "
            "{cpus_2}: they used {used}. A sweep with dedicated CPUs measures the gain."
        ).format(number=number, cpus=seen.cpus, cpus_2=seen.cpus - number, used=used)
    ]

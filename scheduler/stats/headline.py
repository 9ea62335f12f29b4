"""The recommendation as one sentence: an order, as long as there is anything to order."""

from scheduler.model.results import Verdict
from scheduler.model.setting import split_setting
from scheduler.model.spec import Mode
from scheduler.model.words import listing, percent
from scheduler.stats import aims
from scheduler.stats.gain import Gain
from scheduler.stats.reasons import Case
from scheduler.stats.verdict import Judgement


def headline(case: Case, found: Judgement, gain: Gain | None) -> str:
    """Return the answer as an order; where the host as found certainly beats every split, it is to stay."""
    if found.verdict is not Verdict.NONE and gain is not None and gain.certain and gain.frac < 0:
        costs = f"every split costs throughput{aims.where(case.objective)}"
        return f"Change nothing: {costs}, the cheapest, {found.named}, {percent(-gain.frac)}."
    sentence, title = _best_split(case, found), aims.title(case.objective, case.cells.kinds)
    return f"{title}: {sentence[:1].lower()}{sentence[1:]}" if title else sentence


def _best_split(case: Case, found: Judgement) -> str:
    match found.verdict:
        case Verdict.RECOMMEND:
            return _instruction(case, found.named)
        case Verdict.EQUIVALENT if set(found.members) >= {setting.label for setting in case.spec.settings}:
            return _all_level(found)
        case Verdict.EQUIVALENT if found.proven:
            be = "is" if len(found.members) == 2 else "are"
            return f"Take {found.named}; {_others(found)} {be} as good, within {percent(found.against.zone_frac)}."
        case Verdict.EQUIVALENT:
            return f"Take {found.named}; {_others(found)} may be as good."
        case Verdict.NONE:
            return f"No recommendation yet; {found.named} looks best so far, as a guess."


def _instruction(case: Case, label: str) -> str:
    if case.spec.mode is Mode.SHARE:
        return f"Weigh the I/O domain and the guest {label}."
    return f"Give the I/O domain {percent(split_setting(label).split.io_frac)} of the CPU ({label})."


def _others(found: Judgement) -> str:
    return listing(found.members[1:])


def _all_level(found: Judgement) -> str:
    start = "Take any split: there is no real difference" if found.proven else "Take any split: no difference was found"
    who = "both" if len(found.members) == 2 else f"all {len(found.members)}"
    return f"{start}, {who} lie within {percent(found.spread_frac)}."

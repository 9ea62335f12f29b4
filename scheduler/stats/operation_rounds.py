"""Whether visits were long enough for a load whose users do operations of unequal cost in turn, and none was given up.

In less than a whole round it depends on the moment which operations a visit has, and so does its rate.
"""

from collections.abc import Iterator, Sequence

from scheduler.model.documents import VisitDone
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS, find_load_kind
from scheduler.model.number_texts import format_short
from scheduler.model.sentence_texts import load_title
from scheduler.model.setting import label_of
from scheduler.model.spec import RunSpec


def list_short_trials(visits: Sequence[VisitDone], spec: RunSpec) -> Iterator[str]:
    """Yield a sentence for each load of such a kind that had visits without a whole round of each user.

    Args:
        visits: All visits of a sweep.
        spec: The sweep.
    """
    for load in spec.loads:
        a_round = LOAD_KINDS[load.kind].round
        measured = [visit for visit in visits if a_round and visit.load == load.name and visit.valid]
        cut = sorted(
            (visit for visit in measured if _rounds_per_user(visit, load) < 1),
            key=lambda visit: _rounds_per_user(visit, load),
        )
        if cut:
            yield (
                f"{len(cut)} of {len(measured)} trials under {load_title(load.name)} were too short for a whole round "
                f"of {a_round} of each user (the shortest, at {label_of(cut[0].setting)}, had "
                f"{format_short(_rounds_per_user(cut[0], load))}): their rates depend on which of them "
                "fell into the trial. Measure "
                "for longer, or make the load smaller."
            )


def list_abandoned_trials(visits: Sequence[VisitDone]) -> Iterator[str]:
    """Yield a sentence for each visit that does not count as operations were over the limit of such a load."""
    for visit in visits:
        kind = find_load_kind(visit.load)
        if visit.errors and not visit.valid and kind is not None and kind.limit:
            where = f"A trial of {label_of(visit.setting)} under {load_title(visit.load)}"
            yield f"{where} does not count: {visit.reason}."


def _rounds_per_user(visit: VisitDone, load: LoadSpec) -> float:
    """Return how many rounds a user had on average."""
    return visit.mean_tps * visit.seconds / (LOAD_KINDS[load.kind].round * load.users)

"""Check of a lesson: prediction, measurement and, where known, the truth."""

import msgspec

from scheduler.errors import SpecError
from scheduler.lessons.lesson_files import Lesson
from scheduler.lessons.true_rates import SplitTruth, find_isolation_truth, find_split_truth, find_users_truth
from scheduler.model.decision import DecisionKind
from scheduler.model.documents import RunStarted
from scheduler.model.number_texts import format_percent, is_interval_known
from scheduler.model.results import Recommendation, Results
from scheduler.model.sentence_texts import load_title
from scheduler.model.setting import BASELINE
from scheduler.model.split import GUEST, parse_split
from scheduler.studies.capacity.declaration import CapacityFinding, KneeEstimate
from scheduler.studies.isolation.declaration import IsolationFinding
from scheduler.translation import _, ngettext

_NO_TRUTH = _("The truth of a real computer is unknown: only further trials narrow your result.")
_NOTHING = _("nothing usable")
ANY_SPLIT = _("any split")
"""Truth where no split is better than another by more than the tolerance."""


class LessonCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Check of one student's run.

    Attributes:
        lesson: Name of the lesson.
        student: Name of the student.
        run_id: Id of the run.
        predicted: The prediction.
        measured: Best split, range of users, or loss, as measured; empty when too little was measured.
        truth: The same without noise; empty where it is not known.
        predicted_loss_frac: Loss of the predicted split against the truly best one, 0..1; None where it is not known.
        measured_loss_frac: Loss of the measured split against the truly best one, 0..1; None where it is not known.
        decided: True when the run reached a decision.
        decision: The run's headline.
        sentences: The check in sentences, in reading order.
    """

    lesson: str
    student: str
    run_id: str
    predicted: str
    measured: str
    truth: str = ""
    predicted_loss_frac: float | None = None
    measured_loss_frac: float | None = None
    decided: bool = False
    decision: str = ""
    sentences: tuple[str, ...] = ()


class CheckedLesson(msgspec.Struct, frozen=True):
    """Answer of `lesson check --json`.

    Attributes:
        check: The check.
        title: Title of the lesson; its name where the lesson is not installed.
        sheet: Answer sheet in Markdown; empty where the lesson is not installed.
    """

    check: LessonCheck
    title: str
    sheet: str = ""

    @classmethod
    def join(cls, check: LessonCheck, lesson: Lesson | None) -> "CheckedLesson":
        """Return a check with the answer sheet of its lesson.

        Args:
            check: The check.
            lesson: The lesson; None where it is not installed.
        """
        return cls(check, lesson.head.title, lesson.sheet) if lesson else cls(check, check.lesson)


def check_lesson(started: RunStarted, results: Results) -> LessonCheck:
    """Check a student's run; deterministic.

    Args:
        started: First document of the run, whose plan has the prediction.
        results: Results of the run.

    Raises:
        SpecError: The run belongs to no lesson.
    """
    entry, answer = started.spec.lesson, results.answer
    if not entry.name:
        hint = _("Start a lesson: 'domtune lesson run NAME --student NAME --predict PREDICTION'.")
        raise SpecError("RUN", _("{run_id} belongs to no lesson").format(run_id=started.run_id), hint=hint)
    start = LessonCheck(
        lesson=entry.name,
        student=entry.student,
        run_id=started.run_id,
        predicted=entry.prediction,
        measured="",
        decision=answer.headline,
    )
    match answer:
        case Recommendation():
            return _check_split(start, answer, find_split_truth(started))
        case CapacityFinding():
            return _check_users(start, answer, find_users_truth(started))
        case IsolationFinding():
            return _check_percent(start, answer, started)
        case _:
            return _finish(start)


def _finish(check: LessonCheck, *sentences: str) -> LessonCheck:
    """Return a check with its sentences; the first one has all three values."""
    measured = _("measured {measured}{value}").format(
        measured=check.measured or _NOTHING, value="" if check.decided or not check.measured else _(" (not decided)")
    )
    first = _("You predicted {predicted} and {measured}.").format(predicted=check.predicted, measured=measured)
    if check.truth:
        first = _("You predicted {predicted}, you {measured}, and the truth is {truth}.").format(
            predicted=check.predicted, measured=measured, truth=check.truth
        )
    last = () if check.truth else (_NO_TRUTH,)
    return msgspec.structs.replace(check, sentences=(first, *(text for text in sentences if text), *last))


def _check_split(start: LessonCheck, answer: Recommendation, truth: SplitTruth | None) -> LessonCheck:
    first = answer.regret[0].label if answer.regret else ""
    decided = answer.decision.kind in (DecisionKind.CHANGE, DecisionKind.STAY)
    check = msgspec.structs.replace(
        start, measured=answer.label or answer.decision.label or first, decided=decided and bool(answer.regret)
    )
    if truth is None:
        return _finish(check)
    tolerance = answer.tolerance_frac
    no_effect = max(loss for label, loss in truth.loss_frac.items() if label != BASELINE) <= tolerance
    check = msgspec.structs.replace(
        check,
        truth=ANY_SPLIT if no_effect else truth.best,
        predicted_loss_frac=truth.loss_frac.get(check.predicted),
        measured_loss_frac=truth.loss_frac.get(check.measured),
    )
    if no_effect:
        limit = format_percent(tolerance)
        return _finish(
            check,
            _("No split is better than another by more than {limit}: the split has no effect here.").format(
                limit=limit
            ),
        )
    return _finish(
        check,
        *_loss_sentences(check, truth, tolerance),
        _baseline_sentence(truth, tolerance),
        *_load_sentences(truth, tolerance),
    )


def _loss_sentences(check: LessonCheck, truth: SplitTruth, tolerance: float) -> list[str]:
    """Return the loss of the predicted and of the measured split as sentences."""
    found: list[str] = []
    for label in dict.fromkeys((check.predicted, check.measured)):
        loss = truth.loss_frac.get(label)
        if loss is None or label == truth.best:
            continue
        good = (
            _(", within the tolerance of {tolerance}").format(tolerance=format_percent(tolerance))
            if loss <= tolerance
            else ""
        )
        found.append(
            _("{label} loses {loss} against {best}{good}.").format(
                label=label, loss=format_percent(loss), best=truth.best, good=good
            )
        )
    if not found and check.measured == truth.best:
        found.append(_("Prediction and measurement are right."))
    return found


def _baseline_sentence(truth: SplitTruth, tolerance: float) -> str:
    loss = truth.loss_frac[BASELINE]
    if abs(loss) <= tolerance:
        return ""
    less_or_more = "less" if loss > 0 else "more"
    return _("The original settings, without a split, reach {loss} {less_or_more} than {best}.").format(
        loss=format_percent(abs(loss)), less_or_more=less_or_more, best=truth.best
    )


def _load_sentences(truth: SplitTruth, tolerance: float) -> list[str]:
    """Return the cost of one split for several loads as sentences."""
    if max(truth.load_loss_frac.values()) <= tolerance:
        return []
    own = [
        _("{load} alone is best at {load_best}; at {best} it loses {loss}.").format(
            load=load_title(load), load_best=truth.load_best[load], best=truth.best, loss=format_percent(loss)
        )
        for load, loss in truth.load_loss_frac.items()
        if loss > tolerance
    ]
    gain = format_percent(truth.follow_gain_frac)
    return [
        *own,
        _("If each load always had its own best split, the gain over {best} would be {gain}.").format(
            best=truth.best, gain=gain
        ),
    ]


def _check_users(start: LessonCheck, answer: CapacityFinding, truth: int | None) -> LessonCheck:
    knee = answer.knees[0] if answer.knees else None
    check = msgspec.structs.replace(
        start,
        measured=_knee_words(knee) if knee else "",
        decided=knee is not None and knee.is_decided,
        truth=_("{truth} users").format(truth=truth) if truth else "",
    )
    if not truth or not check.predicted.isdecimal():
        return _finish(check)
    away = int(check.predicted) - truth
    off = ngettext("The prediction is {n} user too high.", "The prediction is {n} users too high.", away)
    if away < 0:
        off = ngettext("The prediction is {n} user too low.", "The prediction is {n} users too low.", -away)
    off = off.format(n=abs(away)) if away else _("It is right.")
    inside = knee is not None and not knee.open and knee.above < truth <= knee.most
    return _finish(check, off, _("The measured range contains the truth.") if inside else "")


def _knee_words(knee: KneeEstimate) -> str:
    if knee.open:
        return _("more than {above} users").format(above=knee.above)
    low = knee.above + 1
    return (
        _("{most} users").format(most=knee.most)
        if low == knee.most
        else _("{low} to {most} users").format(low=low, most=knee.most)
    )


def _check_percent(start: LessonCheck, answer: IsolationFinding, started: RunStarted) -> LessonCheck:
    cost = next((cost for cost in answer.costs if cost.guest == GUEST), None)
    if cost is None:
        return _finish(start)
    low, high = cost.ci95_frac or (cost.cost_frac, cost.cost_frac)
    decided = cost.ci95_frac is not None and is_interval_known(low, high)
    truth = find_isolation_truth(started, parse_split(cost.split, count=3), cost.mode, GUEST)
    inside = decided and truth is not None and low <= truth <= high
    return _finish(
        msgspec.structs.replace(
            start,
            measured=format_percent(cost.cost_frac),
            decided=decided,
            truth="" if truth is None else format_percent(truth),
        ),
        _("The loss is between {low} and {high}.").format(low=format_percent(low), high=format_percent(high))
        if decided
        else _("The trials differ too much to know the loss."),
        _("The measured range contains the truth.") if inside else "",
    )

"""Results of a run from its documents; the run may be interrupted."""

from collections.abc import Iterable, Iterator, Sequence

from scheduler.errors import StoreError
from scheduler.model.documents import (
    Document,
    LoadChecked,
    LoadsReady,
    Notice,
    RunOutcome,
    RunStarted,
    RunState,
    RunStopped,
    StateChanged,
    TrialDone,
    TrialStarted,
)
from scheduler.model.host_properties import Severity
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS, find_load_kind
from scheduler.model.load_name import LoadName
from scheduler.model.member import member_label
from scheduler.model.number_texts import format_short
from scheduler.model.results import Results
from scheduler.model.sentence_texts import join_sentences, member_title
from scheduler.model.setting import label_of
from scheduler.model.spec import RunSpec
from scheduler.stats.stalls import may_have_more_results
from scheduler.stats.steady.settling import find_settling_times
from scheduler.stats.study_answer import answer_run
from scheduler.translation import _


def list_short_trials(trials: Sequence[TrialDone], spec: RunSpec) -> Iterator[str]:
    """Yield a sentence for each load with trials shorter than one round of each user.

    Args:
        trials: All trials of a sweep.
        spec: The sweep.
    """
    order = [load.name for load in spec.loads]
    members = {trial.member for trial in trials if trial.load in order}
    for name, guest in sorted(members, key=lambda member: (order.index(member[0]), member[1] or "")):
        load = spec.load_of(name, guest)
        a_round = LOAD_KINDS[load.kind].round
        measured = [trial for trial in trials if a_round and trial.member == (name, guest) and trial.valid]
        cut = sorted(
            (trial for trial in measured if _rounds_per_user(trial, load) < 1),
            key=lambda trial: _rounds_per_user(trial, load),
        )
        if cut:
            yield (
                _(
                    "{count} of {count_2} trials under {member} were too short for a whole round of "
                    "{a_round} of each user (the shortest, at {label_of}, had {rounds_per_user}): their "
                    "rates depend on which of them fell into the trial. Measure for longer, or make the "
                    "load smaller."
                ).format(
                    count=len(cut),
                    count_2=len(measured),
                    member=member_title(name, guest),
                    a_round=a_round,
                    label_of=label_of(cut[0].setting),
                    rounds_per_user=format_short(_rounds_per_user(cut[0], load)),
                )
            )


def list_abandoned_trials(trials: Sequence[TrialDone]) -> Iterator[str]:
    """Yield a sentence for each trial discarded for operations over a time limit."""
    for trial in trials:
        kind = find_load_kind(trial.load)
        if trial.errors and not trial.valid and kind is not None and kind.limit:
            where = _("A trial of {label_of} under {member}").format(
                label_of=label_of(trial.setting), member=member_title(trial.load, trial.guest)
            )
            yield _("{where} does not count: {reason}.").format(where=where, reason=trial.reason)


def _rounds_per_user(trial: TrialDone, load: LoadSpec) -> float:
    """Return the average number of rounds per user in a trial."""
    return trial.mean_tps * trial.seconds / (LOAD_KINDS[load.kind].round * load.users)


_SILENT_END = _("the run is still active or was interrupted; 'domtune restore --list' shows the state of the host")


class _Tally:
    """Summary of a run that is built document by document."""

    def __init__(self) -> None:
        self.started: RunStarted | None = None
        self.ready: LoadsReady | None = None
        self.stopped: RunStopped | None = None
        self.trials: list[TrialDone] = []
        self.notices: list[str] = []
        self.measured_s = 0.0
        self._since_s: float | None = None
        self._counted = "", -1  # mix and number of the trial whose seconds were added last

    def take(self, document: Document) -> None:
        """Read one document."""
        match document:
            case RunStarted():
                self.started = document
            case LoadsReady():
                self.ready = document
            case RunStopped():
                self.stopped = document
            case TrialDone():
                self.trials.append(document)
            case Notice() if document.level is not Severity.INFO:
                self._add_notice(join_sentences(document.text, document.hint))
            case LoadChecked() if not document.passed:
                self._add_notice(
                    _("Check of {member_label} failed: {document}").format(
                        member_label=member_label(document.load, document.guest), document=document.text
                    )
                )
            case _:
                pass
        self._add_time(document)

    def _add_time(self, document: Document) -> None:
        """Add the seconds spent at settings."""
        match document:
            case TrialDone():
                if not self._is_same_trial(document):
                    self.measured_s += document.settled_s + document.seconds
                self._since_s = None
            case TrialStarted():
                self._end_trial(document.t_s)
                self._since_s = document.t_s
            case RunStopped() | StateChanged(state=RunState.PAUSED | RunState.RESTORING | RunState.CLOSED):
                self._end_trial(document.t_s)
            case _:
                pass

    def _is_same_trial(self, done: TrialDone) -> bool:
        """Return True for a further result of a trial that was counted already.

        A mix has one result for each of its loads.
        """
        before, self._counted = self._counted, (LoadName.of(done.load).mix, done.trial)
        return may_have_more_results(done) and before == self._counted

    def end(self, last_s: float) -> None:
        """Count a trial without an end, because the process died in it."""
        self._end_trial(last_s)

    def _end_trial(self, now_s: float) -> None:
        """Count the seconds of an interrupted trial."""
        if self._since_s is not None:
            self.measured_s += max(0.0, now_s - self._since_s)
            self._since_s = None

    def _add_notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)


def summarise_run(documents: Iterable[Document]) -> Results:
    """Summarise a run; also an aborted, failed, crashed or running one.

    A run that continues another contains the earlier trials among its own documents, so no other run is needed.

    Raises:
        StoreError: There is no `RunStarted` among the documents.
    """
    tally, last_s = _Tally(), 0.0
    for document in documents:
        tally.take(document)
        last_s = document.t_s
    tally.end(last_s)
    if tally.started is None:
        raise StoreError(
            _("the first document of this run is missing, so there are no results"), hint=_("Start a new sweep.")
        )
    return _build_results(tally, tally.started)


def _build_results(tally: _Tally, started: RunStarted) -> Results:
    spec, facts, stopped, ready = started.spec, started.facts, tally.stopped, tally.ready
    own = {"domtune": started.domtune_version} if started.domtune_version else {}
    answer = answer_run(tally.trials, started)
    return Results(
        run_id=started.run_id,
        name=spec.name,
        host=spec.host_url,
        host_title=facts.title,
        mode=spec.mode.value,
        protocol=spec.protocol.name,
        outcome=stopped.outcome if stopped else RunOutcome.FAILED,
        restored=stopped.restored if stopped else False,
        busy=stopped.busy if stopped else False,
        interrupted=stopped.interrupted if stopped else False,
        restored_unix_s=stopped.restored_unix_s if stopped else 0.0,
        simulated=facts.simulated,
        measured_s=round(tally.measured_s, 3),
        started_unix_s=started.wall_unix_s,
        points=answer.points,
        answer=answer.answer,
        versions={**own, **facts.versions, **(ready.versions if ready else {})},
        differences=ready.differences if ready else (),
        settling=find_settling_times(tally.trials),
        notices=(
            *tally.notices,
            *answer.notices,
            *list_short_trials(tally.trials, spec),
            *dict.fromkeys(list_abandoned_trials(tally.trials)),
        ),
        reason=stopped.reason if stopped else _SILENT_END,
        model=answer.model,
        study=spec.kind.name,
        cpus=max(1, len(facts.shared_cpus)),
    )

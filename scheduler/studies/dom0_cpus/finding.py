"""Decision about Dom0's CPUs, with the vendors' numbers."""

from collections.abc import Sequence

import msgspec

from scheduler.model.decision import DecisionKind
from scheduler.model.documents import RunStarted, TrialDone
from scheduler.model.host_kinds import name_io_domain
from scheduler.model.results import Recommendation
from scheduler.stats.study_answer import AnswersRuns, StudyAnswer
from scheduler.studies.dom0_cpus.vendors import describe_vendors, list_vendor_numbers
from scheduler.studies.split.finding import SplitAnswers
from scheduler.translation import _

_AGAIN = _(
    "{io} kept its number of vCPUs: the sweep set only the CPUs on which they run. Network queues are counted at boot. "
    "If you boot with another number of vCPUs, measure again."
)


class Dom0CpusAnswers(SplitAnswers):
    """Answers of the study of Dom0's CPUs: those of a sweep, and the vendors' numbers."""

    def answer(self, trials: Sequence[TrialDone], started: RunStarted) -> StudyAnswer:
        """Return the recommendation, and a queueing model of each load.

        Args:
            trials: All trials so far, invalid ones included.
            started: First document of the run.
        """
        found = super().answer(trials, started)
        if not isinstance(found.answer, Recommendation):
            return found
        return found._replace(answer=_add_vendors(found.answer, started))


def _add_vendors(answer: Recommendation, started: RunStarted) -> Recommendation:
    pcpus, spec = started.facts.pcpus, started.spec
    io = name_io_domain(spec.host_url, spec.io_domain)
    booted = (_AGAIN.format(io=f"{io[:1].upper()}{io[1:]}"),) if answer.decision.kind is DecisionKind.CHANGE else ()
    vendors = list_vendor_numbers(pcpus) if io == "Dom0" else ()
    compared = (describe_vendors(pcpus),) if vendors else ()
    return msgspec.structs.replace(answer, vendors=vendors, limits=(*answer.limits, *booted, *compared))


ANSWERS: AnswersRuns = Dom0CpusAnswers()

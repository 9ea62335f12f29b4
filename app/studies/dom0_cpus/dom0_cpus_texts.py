"""Wizard texts of a study of Dom0's CPUs, see `HasStudyTexts`."""

from collections.abc import Mapping

from app.display_texts import MINUS, format_percent, join_list, name_host
from app.load_texts import load_name, times_users
from scheduler.model.decision import SweepDecision
from scheduler.model.host_kinds import name_io_domain
from scheduler.model.host_properties import HostProperties
from scheduler.model.setting import split_of
from scheduler.model.spec import RunSpec
from scheduler.studies.dom0_cpus.declaration import Dom0CpusStudy
from scheduler.translation import _


def splits_step() -> str:
    """Return the name of the step for numbers of CPUs."""
    return _("Dom0's CPUs")


def splits_head() -> tuple[str, str]:
    """Return title and lead of the page for numbers of CPUs."""
    return _("How many CPUs for Dom0?"), _(
        "Dom0 gets each of these numbers of CPUs for itself in turn, and the guest gets the others. The original "
        "settings are measured next to them."
    )


def loads_lead() -> str:
    """Return the lead of the loads page."""
    return _(
        "Each load runs at every number of CPUs, one after the other. Leave the users empty for four users for each "
        "shared CPU: fewer users cannot fill a large host."
    )


def protocol_claims() -> Mapping[str, str]:
    """Return each protocol with its procedure and its claims."""
    return {
        "adaptive": _(
            "All numbers first, then those that may be the best and the numbers next to them, until it is decided "
            "whether to change. Each gain has its interval."
        ),
        "quick": _("The same with shorter trials: sooner done, for differences of 5 % and more."),
        "strict": _("The same, but no number is named the best without proof. Takes longer."),
        "grid": _("Every number equally often, a few short trials each. The decision may stay open."),
        "replicate": _("Ten trials of five minutes for each number, for figures that others check. Takes long."),
    }


def settle_name() -> str:
    """Return the name of the field for the warm-up after a change of the CPUs."""
    return _("&Excluded after a change of the CPUs")


def repeats_name() -> str:
    """Return the name of the field for repeats."""
    return _("Bloc&ks: trials per number of CPUs and load")


def splits_answer(spec: RunSpec) -> str:
    """Return the rail's text for the step of numbers of CPUs."""
    numbers = _numbers_of(spec)
    return join_list(numbers) if numbers else _("chosen by the host's CPUs")


def loads_answer(spec: RunSpec) -> str:
    """Return the rail's text for the loads step."""
    if "users" in spec.by_host:
        return _("{loads}, users by the host's CPUs").format(loads=join_list(_load_names(spec)))
    return times_users((load.kind, load.users) for load in spec.loads)


def users_words(words: str) -> str:
    """Return the text for a load's users, unchanged for every number of CPUs."""
    return words


def loads_sentence(spec: RunSpec) -> str:
    """Return the loads as a sentence; empty unless the host decides about the users."""
    if "users" not in spec.by_host:
        return ""
    text = _("{loads}, one load at a time, with 4 users for each shared CPU.")
    return text.format(loads=join_list(_load_names(spec)))


def changes_sentences(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the changes on the host as sentences.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    del spec, facts
    return _(
        "The CPUs on which the vCPUs of both domains may run (hard affinity). The number of vCPUs and the memory stay "
        "as they are."
    )


def measured_sentence(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the measurement and its host as a sentence.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    del facts
    host = name_host(spec.host_url)
    numbers, io = _numbers_of(spec), name_io_domain(spec.host_url, spec.io_domain)
    if not numbers:
        text = _("DomTune will give {io} of {host} different numbers of CPUs of its own, and the guest the others.")
        return text.format(io=io, host=host)
    text = _("DomTune will give {io} of {host} {numbers} CPUs of its own in turn, and the guest the others.")
    return text.format(io=io, host=host, numbers=join_list(numbers))


def setting_row(spec: RunSpec) -> tuple[str, str]:
    """Return name and text of the review's row about the numbers of CPUs."""
    return _("Dom0's CPUs"), splits_answer(spec)


def goal_sentences(spec: RunSpec) -> str:
    """Return the goal of the study as a sentence."""
    text = _("The number of CPUs with the most throughput. A change has to gain {worth} over the original settings.")
    return text.format(worth=format_percent(spec.objective.least_gain_frac))


def trials_sentence(spec: RunSpec) -> str:
    """Return sentences with the number and length of the trials per number of CPUs."""
    protocol = spec.protocol
    times = _("at least once, and those that may be the best until it is decided,")
    if not spec.adapts:
        times = _("once") if protocol.repeats == 1 else _("{n} times").format(n=protocol.repeats)
    text = _(
        "Each number is measured {times} under each load, in random order (seed {seed}): {settle} s are excluded after "
        "a change ({load_settle} s after a change of the load), then {measure} s count."
    )
    return text.format(
        times=times,
        seed=str(spec.seed).replace("-", MINUS),
        settle=protocol.settle_s,
        load_settle=protocol.load_settle_s,
        measure=protocol.measure_s,
    )


def protocol_summary(spec: RunSpec, trials: str) -> str:
    """Return a summary of the protocol.

    Args:
        spec: The plan.
        trials: Number of trials, as text.
    """
    text = _("{trials} of {measure} s, each number of CPUs and the original settings under each load.")
    return text.format(trials=trials, measure=spec.protocol.measure_s)


def finding_words(finding: SweepDecision) -> str:
    """Return the decision to change: the number of CPUs that Dom0 should have."""
    split = split_of(finding.setting)
    number = round(split.io) if split else 0
    return _("1 CPU for Dom0") if number == 1 else _("{n} CPUs for Dom0").format(n=number)


def _load_names(spec: RunSpec) -> list[str]:
    return [load_name(load.kind) for load in spec.loads]


def _numbers_of(spec: RunSpec) -> list[str]:
    return [str(number) for number in sorted(spec.study_as(Dom0CpusStudy).io_cpus)]

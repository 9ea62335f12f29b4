"""Wizard texts of a capacity study, see `app.studies.study_texts.HasStudyTexts`."""

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from app.display_texts import MINUS, join_list
from app.load_texts import times_users
from scheduler.model.host_properties import HostProperties
from scheduler.model.setting import users_of
from scheduler.model.spec import RunSpec
from scheduler.model.study_kind import list_doublings
from scheduler.studies.capacity.declaration import CapacityFinding, CapacityStudy, KneeEstimate


def _tr(text: str) -> str:
    return QCoreApplication.translate("capacity", text)


def splits_step() -> str:
    """Return the name of the step of splits."""
    return _tr("Mode and splits")


def splits_head() -> tuple[str, str]:
    """Return title and lead of the splits page."""
    return _tr("With the original settings, or at which splits?"), _tr(
        "Without a split, users are counted on the host as it is found. With splits, at each of them: how the CPU is "
        "divided, written I/O domain : guest."
    )


def loads_lead() -> str:
    """Return the lead of the loads page."""
    return _tr(
        "Each begins with one user; users are added until throughput rises no more. The loads run one after the other."
    )


def protocol_claims() -> Mapping[str, str]:
    """Return each protocol with its claims."""
    return {
        "adaptive": _tr(
            "Doubling numbers of users first, then those that decide where throughput stops rising. Names a narrow "
            "range, or says that the numbers tried do not fill it up."
        ),
        "quick": _tr("As adaptive, but satisfied with a range of one doubling, for example 5 to 8 users."),
        "grid": _tr(
            "Doubling numbers only, each equally often, a few short trials each. The length is known beforehand; the "
            "range is one doubling wide at best."
        ),
        "replicate": _tr(
            "Ten trials of five minutes to each doubling number. For figures that others are to check; takes long."
        ),
    }


def settle_name() -> str:
    """Return the name of the field for the warm-up after a change of the users."""
    return _tr("&Left out after a change of the users")


def repeats_name() -> str:
    """Return the name of the field for repeats."""
    return _tr("Tr&ials per number of users and load")


def splits_answer(spec: RunSpec) -> str:
    """Return the rail's text for the splits step."""
    splits = [split.label for split in spec.splits]
    return _tr("at {splits}").format(splits=join_list(splits)) if splits else _tr("the original settings")


def loads_answer(spec: RunSpec) -> str:
    """Return the rail's text for the loads step: each load from one user to its most."""
    return times_users((load.kind, f"1\N{EN DASH}{load.users}") for load in spec.loads)


def users_words(words: str) -> str:
    """Return the text for a load's users: up to this number."""
    return _tr("up to {users}").format(users=words)


def loads_sentence(spec: RunSpec) -> str:
    """Return an empty text: the loads run one at a time."""
    del spec
    return ""


def changes_sentences(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return an empty text: at most the CPU shares of two domains change.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    del spec, facts
    return ""


def measured_sentence(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the measurement and its host as a sentence.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    host = _tr("this computer") if spec.host_url == "local:" else spec.host_url
    splits = [split.label for split in spec.splits]
    if not splits:
        return _tr("DomTune will count how many users {host} carries as it is found.").format(host=host)
    if facts is None:
        text = _tr("DomTune will count how many users {host} carries at {splits}.")
        return text.format(host=host, splits=join_list(splits))
    numbers = ", ".join(map(str, facts.shared_cpus))
    text = _tr("DomTune will count how many users {host} carries while CPU {cpus} is divided {splits}.")
    return text.format(host=host, cpus=numbers, splits=join_list(splits))


def setting_row(spec: RunSpec) -> tuple[str, str]:
    """Return name and text of the review's row about the numbers of users."""
    counts = sorted({users_of(setting) or 0 for setting in spec.settings})
    text = _tr("{numbers} first, for each load up to its own most")
    if len({load.users for load in spec.loads}) == 1:
        text = _tr("{numbers} first")
    if spec.adapts:
        text = _tr("{first}; then those between that decide").format(first=text)
    return _tr("Users"), f"{text.format(numbers=join_list([str(count) for count in counts]))} ({splits_answer(spec)})."


def goal_sentences(spec: RunSpec) -> str:
    """Return the goal of the study as sentences."""
    text = _tr("The number of users from which on more of them raise throughput by less than 5 %.")
    demand = spec.study_as(CapacityStudy).demand_users
    if not demand:
        return text
    asked = _tr("It is compared with the {n} users that it has to carry.")
    if demand == 1:
        asked = _tr("It is compared with the 1 user that it has to carry.")
    return f"{text} {asked.format(n=demand)}"


def trials_sentence(spec: RunSpec) -> str:
    """Return a sentence with the number and length of the trials per number of users."""
    protocol = spec.protocol
    times = _tr("at least once, and those that decide until it is known")
    if spec.adapts and protocol.limit_min:
        times = _tr("at least once, and those that decide until it is known (for {n} min at most)")
    if not spec.adapts:
        times = _tr("once") if protocol.repeats == 1 else _tr("{n} times")
    text = _tr(
        "Each number of users is measured {times}, in random order (seed {seed}): {settle} s to settle that do not "
        "count ({load_settle} s after a change of the load), then {measure} s that do."
    )
    return text.format(
        times=times.format(n=protocol.limit_min if spec.adapts else protocol.repeats),
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
    protocol = spec.protocol
    if spec.adapts:
        text = _tr("{trials}, {measure} s each: doubling numbers of users first, then those that decide.")
        return text.format(trials=trials, measure=protocol.measure_s)
    most = max(load.users for load in spec.loads)
    text = _tr("{trials}: each of {numbers} users {repeats} \N{MULTIPLICATION SIGN} {measure} s under each load.")
    numbers = join_list([str(number) for number in list_doublings(1, most)])
    return text.format(trials=trials, numbers=numbers, repeats=protocol.repeats, measure=protocol.measure_s)


def finding_words(finding: CapacityFinding) -> str:
    """Return the users at which the host is full, or the number of curves."""
    if len(finding.knees) == 1:
        return _knee_text(finding.knees[0])
    return _tr("{n} curves").format(n=len(finding.knees)) if finding.knees else _tr("no answer")


def _knee_text(knee: KneeEstimate) -> str:
    if knee.open:
        return _tr("not full at {n} users").format(n=knee.tried)
    if not knee.is_decided:
        return _tr("full between {low} and {high} users").format(low=max(1, knee.above), high=knee.most)
    span = f"{knee.above + 1} to {knee.most}" if knee.above + 1 < knee.most else f"{knee.most}"
    return _tr("full at {n} users").format(n=span)

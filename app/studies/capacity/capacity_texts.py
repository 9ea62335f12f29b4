"""Wizard texts of a capacity study, see `app.studies.study_texts.HasStudyTexts`."""

from collections.abc import Mapping

from app.display_texts import join_list, name_host
from app.load_texts import times_users
from app.studies.trial_texts import format_seed, settling_sentence
from scheduler.model.host_properties import HostProperties
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.setting import users_of
from scheduler.model.spec import RunSpec
from scheduler.model.study_kind import list_doublings
from scheduler.studies.capacity.declaration import CapacityFinding, CapacityStudy, KneeEstimate
from scheduler.translation import _


def splits_step() -> str:
    """Return the name of the step of splits."""
    return _("Mode and splits")


def splits_head() -> tuple[str, str]:
    """Return title and lead of the splits page."""
    return _("Original settings, or splits"), _(
        "Without splits, DomTune finds the knee with the original settings. With splits, it finds the knee "
        "at each split, written I/O domain : guest."
    )


def loads_lead() -> str:
    """Return the lead of the loads page."""
    return _(
        "Each load begins with one user. DomTune adds users until throughput stops rising. The loads run one "
        "after the other."
    )


def protocol_claims() -> Mapping[str, str]:
    """Return each protocol with its claims."""
    return {
        "adaptive": _(
            "Doubles the number of users first, then measures numbers near the knee. The result is a narrow "
            "range, or that the host was not saturated."
        ),
        "quick": _("Like adaptive, but stops at a range of one doubling, for example 5 to 8 users."),
        "grid": _(
            "Doubling numbers only, each equally often, with a few short trials. The duration is known in "
            "advance. The range is one doubling wide at best."
        ),
        "replicate": _(
            "Ten trials of five minutes for each doubling number. For figures that others will check. Takes long."
        ),
    }


def settle_name() -> str:
    """Return the name of the field for the warm-up after a change of the users."""
    return _("Exc&luded after a change of the users")


def repeats_name() -> str:
    """Return the name of the field for repeats."""
    return _("Tr&ials per number of users and load")


def splits_answer(spec: RunSpec) -> str:
    """Return the rail's text for the splits step."""
    splits = [split.label for split in spec.splits]
    return _("at {splits}").format(splits=join_list(splits)) if splits else _("the original settings")


def loads_answer(spec: RunSpec) -> str:
    """Return the rail's text for the loads step: each load from one user to its most."""
    return times_users((load.kind, f"1\N{EN DASH}{load.users}") for load in spec.loads)


def users_words(words: str) -> str:
    """Return the text for a load's users: up to this number."""
    return _("up to {users}").format(users=words)


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
    host = name_host(spec.host_url)
    splits = [split.label for split in spec.splits]
    if not splits:
        return _("DomTune will find the number of users at which {host} saturates, with the original settings.").format(
            host=host
        )
    if facts is None:
        text = _("DomTune will find the number of users at which {host} saturates, at the splits {splits}.")
        return text.format(host=host, splits=join_list(splits))
    numbers = format_cpu_list(facts.shared_cpus)
    text = _("DomTune will find the number of users at which {host} saturates. CPU {cpus} is divided {splits}.")
    return text.format(host=host, cpus=numbers, splits=join_list(splits))


def setting_row(spec: RunSpec) -> tuple[str, str]:
    """Return name and text of the review's row about the numbers of users."""
    counts = sorted({users_of(setting) or 0 for setting in spec.settings})
    text = _("{numbers} first, for each load up to its own maximum")
    if len({load.users for load in spec.loads}) == 1:
        text = _("{numbers} first")
    if spec.adapts:
        text = _("{first}; then numbers near the knee").format(first=text)
    return _("Users"), f"{text.format(numbers=join_list([str(count) for count in counts]))} ({splits_answer(spec)})."


def goal_sentences(spec: RunSpec) -> str:
    """Return the goal of the study as sentences."""
    text = _("The knee: the number of users from which more users raise throughput by less than 5 %.")
    demand = spec.study_as(CapacityStudy).demand_users
    if not demand:
        return text
    asked = _("The knee is compared with the {n} users that the host must carry.")
    if demand == 1:
        asked = _("The knee is compared with the 1 user that the host must carry.")
    return f"{text} {asked.format(n=demand)}"


def trials_sentence(spec: RunSpec) -> str:
    """Return a sentence with the number and length of the trials per number of users."""
    protocol = spec.protocol
    if spec.adapts:
        text = _("Each number of users is measured at least once, in random order (seed {seed}).")
        until = _("The numbers near the knee are measured again until the knee is known.")
        if protocol.limit_min:
            until = _("The numbers near the knee are measured again until the knee is known, for at most {n} min.")
        text = f"{text} {until}"
    elif protocol.repeats == 1:
        text = _("Each number of users is measured once, in random order (seed {seed}).")
    else:
        text = _("Each number of users is measured {n} times, in random order (seed {seed}).")
    count = protocol.limit_min if spec.adapts else protocol.repeats
    order = text.format(n=count, seed=format_seed(spec.seed))
    return f"{order} {settling_sentence(protocol.settle_s, protocol.measure_s, protocol.load_settle_s)}"


def protocol_summary(spec: RunSpec, trials: str) -> str:
    """Return a summary of the protocol.

    Args:
        spec: The plan.
        trials: Number of trials, as text.
    """
    protocol = spec.protocol
    if spec.adapts:
        text = _("{trials}, {measure} s each. Doubling numbers of users first, then numbers near the knee.")
        return text.format(trials=trials, measure=protocol.measure_s)
    most = max(load.users for load in spec.loads)
    text = _("{trials}: each of {numbers} users {repeats} \N{MULTIPLICATION SIGN} {measure} s under each load.")
    numbers = join_list([str(number) for number in list_doublings(1, most)])
    return text.format(trials=trials, numbers=numbers, repeats=protocol.repeats, measure=protocol.measure_s)


def finding_words(finding: CapacityFinding) -> str:
    """Return the users at which the host is full, or the number of curves."""
    if len(finding.knees) == 1:
        return _knee_text(finding.knees[0])
    return _("{n} curves").format(n=len(finding.knees)) if finding.knees else _("no answer")


def _knee_text(knee: KneeEstimate) -> str:
    if knee.open:
        return _("not saturated at {n} users").format(n=knee.tried)
    if not knee.is_decided:
        return _("saturated between {low} and {high} users").format(low=max(1, knee.above), high=knee.most)
    if knee.above + 1 < knee.most:
        return _("saturated at {low} to {high} users").format(low=knee.above + 1, high=knee.most)
    return _("saturated at {n} users").format(n=knee.most)

"""Wizard texts of a scale-up study, see `app.studies.study_texts.HasStudyTexts`."""

from collections.abc import Mapping

from app.display_texts import format_short, join_list, name_host
from app.load_texts import times_users
from app.studies.trial_texts import format_seed, settling_sentence
from scheduler.model.host_properties import HostProperties
from scheduler.model.plan_settings import list_vcpus
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST
from scheduler.studies.scaling.declaration import ScaleUpFinding
from scheduler.translation import _


def splits_step() -> str:
    """Return the name of the step for numbers of vCPUs."""
    return _("vCPUs")


def splits_head() -> tuple[str, str]:
    """Return title and lead of the vCPUs page."""
    return _("Numbers of vCPUs"), _(
        "The guest gets each of these numbers in turn. The shares of the CPU stay unchanged."
    )


def loads_lead() -> str:
    """Return the lead of the loads page."""
    return _(
        "Each load runs at every number of vCPUs, one after the other. Choose enough users to keep the "
        "largest number busy: at least two for each vCPU."
    )


def protocol_claims() -> Mapping[str, str]:
    """Return each protocol with its claims."""
    return {
        "blocks": _(
            "Each block measures every number once, in random order, so that slow drifts cancel out. The "
            "gain of each step has an interval. Differences within noise are marked."
        ),
        "grid": _("Every number equally often, with a few short trials. Faster, but small gains remain unclear."),
        "replicate": _("Ten trials of five minutes for each number. For figures that others will check. Takes long."),
    }


def settle_name() -> str:
    """Return the name of the field for the warm-up after a change of the vCPUs."""
    return _("Exc&luded after a change of the vCPUs")


def repeats_name() -> str:
    """Return the name of the field for repeats."""
    return _("Bloc&ks: trials per number of vCPUs and load")


def splits_answer(spec: RunSpec) -> str:
    """Return the rail's text for the vCPUs step."""
    numbers = join_list(_vcpu_numbers(spec))
    return _("{numbers}, compared with the reference").format(numbers=numbers) if spec.has_reference else numbers


def loads_answer(spec: RunSpec) -> str:
    """Return the rail's text for the loads step."""
    return times_users((load.kind, load.users) for load in spec.loads)


def users_words(words: str) -> str:
    """Return the text for a load's users, unchanged for every number of vCPUs."""
    return words


def loads_sentence(spec: RunSpec) -> str:
    """Return an empty text: the loads run one at a time."""
    del spec
    return ""


def changes_sentences(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the changes on the host as a sentence.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    guest = _guest_name(spec, facts)
    if not guest:
        return _("Only the number of vCPUs of the guest. The shares of the CPU stay unchanged.")
    text = _("Only the number of vCPUs of {guest} (guest). The shares of the CPU stay unchanged.")
    return text.format(guest=guest)


def measured_sentence(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the measurement and its host as sentences.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    host = name_host(spec.host_url)
    guest = _guest_name(spec, facts)
    text = _("DomTune will give the guest of {host} {numbers} vCPUs in turn.")
    if guest:
        text = _("DomTune will give {guest} (guest) on {host} {numbers} vCPUs in turn.")
    sentence = text.format(guest=guest, host=host, numbers=join_list(_vcpu_numbers(spec)))
    return f"{sentence} {_reference_sentence()}" if spec.has_reference else sentence


def setting_row(spec: RunSpec) -> tuple[str, str]:
    """Return name and text of the review's row about the numbers of vCPUs."""
    numbers = _("{numbers}, of the guest.").format(numbers=join_list(_vcpu_numbers(spec)))
    return _("vCPUs"), f"{numbers} {_reference_sentence()}" if spec.has_reference else numbers


def goal_sentences(spec: RunSpec) -> str:
    """Return the goal of the study as sentences."""
    text = _(
        "The gain of each step to more vCPUs, the saturated part at each number, and the CPU that the "
        "I/O domain loses, if any."
    )
    return (
        " ".join((text, _("The throughput of the guest as a share of the reference, at each number.")))
        if spec.has_reference
        else text
    )


def trials_sentence(spec: RunSpec) -> str:
    """Return a sentence with the number and length of the trials per number of vCPUs."""
    protocol = spec.protocol
    text = _("Each number of vCPUs is measured {n} times under each load, in random order (seed {seed}).")
    if protocol.repeats == 1:
        text = _("Each number of vCPUs is measured once under each load, in random order (seed {seed}).")
    elif protocol.name == "blocks":
        text = _(
            "In each of {n} blocks, each number of vCPUs is measured once under each load, in random order "
            "(seed {seed})."
        )
    order = text.format(n=protocol.repeats, seed=format_seed(spec.seed))
    return f"{order} {settling_sentence(protocol.settle_s, protocol.measure_s, protocol.load_settle_s)}"


def protocol_summary(spec: RunSpec, trials: str) -> str:
    """Return a summary of the protocol.

    Args:
        spec: The plan.
        trials: Number of trials, as text.
    """
    protocol = spec.protocol
    text = _("{trials}: {numbers} vCPUs {repeats} \N{MULTIPLICATION SIGN} {measure} s each under each load.")
    if spec.has_reference:
        text = _(
            "{trials}: {numbers} vCPUs, and the reference on as many CPUs, {repeats} \N{MULTIPLICATION SIGN} {measure} "
            "s each under each load."
        )
    numbers = join_list(_vcpu_numbers(spec))
    return text.format(trials=trials, numbers=numbers, repeats=protocol.repeats, measure=protocol.measure_s)


def _vcpu_numbers(spec: RunSpec) -> list[str]:
    return [str(number) for number in list_vcpus(spec) or ()]


def _reference_sentence() -> str:
    return _(
        "Each number is compared with the reference: the same server on as many CPUs, without the I/O domain in "
        "between."
    )


def _guest_name(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the guest's name; empty if neither plan nor host names the guest."""
    found = [domain.name for domain in facts.domains if domain.id == GUEST] if facts else []
    return spec.guest_domain or "".join(found[:1])


def finding_words(finding: ScaleUpFinding) -> str:
    """Return the largest ratio of throughput and its number of vCPUs."""
    if not finding.sizes:
        return _("no answer")
    best = max(finding.sizes, key=lambda size: size.ratio)
    return _("{times} times with {n} vCPUs").format(times=format_short(best.ratio), n=best.vcpus)

"""Wizard texts of a scale-up study, see `app.studies.study_texts.HasStudyTexts`."""

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from app.display_texts import MINUS, format_short, join_list
from app.load_texts import times_users
from scheduler.model.host_properties import HostProperties
from scheduler.model.plan_settings import list_vcpus
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST
from scheduler.model.urls import redact_url
from scheduler.studies.scaling.declaration import ScaleUpFinding


def _tr(text: str) -> str:
    return QCoreApplication.translate("scale-up", text)


def splits_step() -> str:
    """Return the name of the step for numbers of vCPUs."""
    return _tr("vCPUs")


def splits_head() -> tuple[str, str]:
    """Return title and lead of the vCPUs page."""
    return _tr("With how many vCPUs?"), _tr(
        "The guest gets each of these numbers in turn. How the CPU is shared stays as it is found."
    )


def loads_lead() -> str:
    """Return the lead of the loads page."""
    return _tr(
        "Each runs at every number of vCPUs, one after the other. Take enough users to keep the largest one busy: two "
        "for each vCPU at least."
    )


def protocol_claims() -> Mapping[str, str]:
    """Return each protocol with its claims."""
    return {
        "blocks": _tr(
            "Every number once in each block, in random order: what drifts meanwhile is the same for all of them. Each "
            "step's gain has its interval, and one that noise hides is called so."
        ),
        "grid": _tr(
            "Every number equally often, a few short trials each. Sooner done; steps that gain little stay untold."
        ),
        "replicate": _tr(
            "Ten trials of five minutes to each number. For figures that others are to check; takes long."
        ),
    }


def settle_name() -> str:
    """Return the name of the field for the warm-up after a change of the vCPUs."""
    return _tr("&Left out after a change of the vCPUs")


def repeats_name() -> str:
    """Return the name of the field for repeats."""
    return _tr("Bloc&ks: trials per number of vCPUs and load")


def splits_answer(spec: RunSpec) -> str:
    """Return the rail's text for the vCPUs step."""
    numbers = join_list(_vcpu_numbers(spec))
    return _tr("{numbers}, beside native").format(numbers=numbers) if spec.has_reference else numbers


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
        return _tr("How many vCPUs its guest has, nothing else: how the CPU is shared stays as it is found.")
    text = _tr("How many vCPUs {guest} (guest) has, nothing else: how the CPU is shared stays as it is found.")
    return text.format(guest=guest)


def measured_sentence(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the measurement and its host as sentences.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    host = _tr("this computer") if spec.host_url == "local:" else redact_url(spec.host_url)
    guest = _guest_name(spec, facts)
    text = _tr("DomTune will give the guest of {host} {numbers} vCPUs in turn.")
    if guest:
        text = _tr("DomTune will give {guest} (guest) on {host} {numbers} vCPUs in turn.")
    told = text.format(guest=guest, host=host, numbers=join_list(_vcpu_numbers(spec)))
    return f"{told} {_reference_sentence()}" if spec.has_reference else told


def setting_row(spec: RunSpec) -> tuple[str, str]:
    """Return name and text of the review's row about the numbers of vCPUs."""
    told = _tr("{numbers}, of the guest.").format(numbers=join_list(_vcpu_numbers(spec)))
    return _tr("vCPUs"), f"{told} {_reference_sentence()}" if spec.has_reference else told


def goal_sentences(spec: RunSpec) -> str:
    """Return the goal of the study as sentences."""
    text = _tr("What each step to more vCPUs gains, what is full at each number, and whether the I/O domain loses CPU.")
    return f"{text} {_tr('What the guest reaches of native at each number.')}" if spec.has_reference else text


def trials_sentence(spec: RunSpec) -> str:
    """Return a sentence with the number and length of the trials per number of vCPUs."""
    protocol = spec.protocol
    times = _tr("in each of {n} blocks") if protocol.name == "blocks" else _tr("{n} times")
    times = _tr("once") if protocol.repeats == 1 else times
    text = _tr(
        "Each number of vCPUs is measured {times} under each load, in random order (seed {seed}): {settle} s to settle "
        "that do not count ({load_settle} s after a change of the load), then {measure} s that do."
    )
    return text.format(
        times=times.format(n=protocol.repeats),
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
    text = _tr("{trials}: {numbers} vCPUs {repeats} \N{MULTIPLICATION SIGN} {measure} s each under each load.")
    if spec.has_reference:
        text = _tr(
            "{trials}: {numbers} vCPUs, and native on as many CPUs, {repeats} \N{MULTIPLICATION SIGN} {measure} s each "
            "under each load."
        )
    numbers = join_list(_vcpu_numbers(spec))
    return text.format(trials=trials, numbers=numbers, repeats=protocol.repeats, measure=protocol.measure_s)


def _vcpu_numbers(spec: RunSpec) -> list[str]:
    return [str(number) for number in list_vcpus(spec) or ()]


def _reference_sentence() -> str:
    return _tr("Each beside native: the same server on as many CPUs, reached without the I/O domain between.")


def _guest_name(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the guest's name; empty if neither plan nor host names the guest."""
    found = [domain.name for domain in facts.domains if domain.id == GUEST] if facts else []
    return spec.guest_domain or "".join(found[:1])


def finding_words(finding: ScaleUpFinding) -> str:
    """Return the largest ratio of throughput and its number of vCPUs."""
    if not finding.sizes:
        return _tr("no answer")
    best = max(finding.sizes, key=lambda size: size.ratio)
    return _tr("{times} times with {n} vCPUs").format(times=format_short(best.ratio), n=best.vcpus)

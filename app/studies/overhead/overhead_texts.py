"""Wizard texts of an overhead study, see `app.studies.study_texts.HasStudyTexts`."""

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from app.display_texts import MINUS, format_percent, join_list
from app.load_texts import times_users
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.model.urls import redact_url
from scheduler.studies.overhead.declaration import OverheadFinding


def _tr(text: str) -> str:
    return QCoreApplication.translate("overhead", text)


def reference_default() -> str:
    """Return the placeholder of an empty field for the reference database."""
    return _tr("the host's own, reached directly")


def reference_hint() -> str:
    """Return the hint about the requirements for a reference database."""
    return _tr("Another one needs the same data, major version and settings; where they differ, nothing is compared.")


def splits_step() -> str:
    """Return the name of the step of splits."""
    return _tr("Mode and splits")


def splits_head() -> tuple[str, str]:
    """Return title and lead of the splits page."""
    return _tr("Confined at which splits?"), _tr(
        "The way through the I/O domain is measured with the original settings, and at each of these splits besides: "
        "how the CPU is divided, written I/O domain : guest."
    )


def loads_lead() -> str:
    """Return the lead of the loads page."""
    return _tr("Each runs on every side in turn, one after the other; of TPC-H each query is compared by itself.")


def protocol_claims() -> Mapping[str, str]:
    """Return each protocol with its claims."""
    return {
        "paired": _tr(
            "Every side once in each block, in random order: what drifts meanwhile is the same for all of them. Each "
            "slowdown has its interval, and one that noise hides is called so."
        )
    }


def settle_name() -> str:
    """Return the name of the field for the warm-up after a change of the side."""
    return _tr("&Left out after a change of the side")


def repeats_name() -> str:
    """Return the name of the field for repeats."""
    return _tr("Bloc&ks: trials of each side and load")


def splits_answer(spec: RunSpec) -> str:
    """Return the rail's text for the splits step."""
    splits = [split.label for split in spec.splits]
    return _tr("confined at {splits}").format(splits=join_list(splits)) if splits else _tr("the original settings")


def loads_answer(spec: RunSpec) -> str:
    """Return the rail's text for the loads step."""
    return times_users((load.kind, load.users) for load in spec.loads)


def users_words(words: str) -> str:
    """Return the text for a load's users, unchanged: every side has as many."""
    return words


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
    del facts
    host = _tr("this computer") if spec.host_url == "local:" else redact_url(spec.host_url)
    text = _tr("DomTune will measure what stands between users and database on {host}: {sides}.")
    return text.format(host=host, sides=_sides_text(spec))


def setting_row(spec: RunSpec) -> tuple[str, str]:
    """Return name and text of the review's row about the sides."""
    return _tr("Sides"), f"{_sides_text(spec)}."


def _sides_text(spec: RunSpec) -> str:
    base = redact_url(spec.study.reference_url) if spec.study.reference_url else reference_default()
    others = [setting.label for setting in spec.settings[1:]]
    return _tr("{sides}, compared with {base}").format(sides=join_list(others), base=base)


def goal_sentences(spec: RunSpec) -> str:
    """Return the goal of the study as a sentence."""
    del spec
    return _tr("How much longer everything takes on each side than on the base, and where the added time goes.")


def trials_sentence(spec: RunSpec) -> str:
    """Return a sentence with the number and length of the trials per side."""
    protocol = spec.protocol
    text = _tr(
        "Each side is measured in each of {repeats} blocks, in random order (seed {seed}): {settle} s to settle that "
        "do not count ({load_settle} s after a change of the load), then {measure} s that do."
    )
    if protocol.repeats == 1:
        text = _tr(
            "Each side is measured once, in random order (seed {seed}): {settle} s to settle that do not count "
            "({load_settle} s after a change of the load), then {measure} s that do."
        )
    return text.format(
        repeats=protocol.repeats,
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
    text = _tr("{trials}: each of {n} sides {repeats} \N{MULTIPLICATION SIGN} {measure} s under each load.")
    return text.format(trials=trials, n=len(spec.settings), repeats=protocol.repeats, measure=protocol.measure_s)


def finding_words(finding: OverheadFinding) -> str:
    """Return the largest slowdown."""
    if not finding.overall:
        return _tr("no answer")
    most = max(finding.overall, key=lambda each: each.slowdown_frac)
    if not most.slowdown.differs_from():
        return _tr("noise")
    return _tr("{more} slower").format(more=format_percent(most.slowdown_frac))

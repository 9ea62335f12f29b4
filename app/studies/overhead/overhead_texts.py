"""Wizard texts of an overhead study, see `app.studies.study_texts.HasStudyTexts`."""

from collections.abc import Mapping

from app.display_texts import format_percent, join_list, name_host
from app.load_texts import times_users
from app.studies.trial_texts import format_seed, settling_sentence
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.model.urls import redact_url
from scheduler.studies.overhead.declaration import OverheadFinding
from scheduler.translation import _


def reference_default() -> str:
    """Return the placeholder of an empty field for the reference database."""
    return _("the database of the host, reached directly")


def reference_hint() -> str:
    """Return the hint about the requirements for a reference database."""
    return _(
        "Another server needs the same data, major version and settings. If they differ, DomTune compares nothing."
    )


def splits_step() -> str:
    """Return the name of the step of splits."""
    return _("Mode and splits")


def splits_head() -> tuple[str, str]:
    """Return title and lead of the splits page."""
    return _("Splits that confine the domains"), _(
        "The way through the I/O domain is measured with the original settings, and also at each of these "
        "splits, written I/O domain : guest."
    )


def loads_lead() -> str:
    """Return the lead of the loads page."""
    return _("Each load runs on every side, one after the other. For TPC-H, each query is compared separately.")


def protocol_claims() -> Mapping[str, str]:
    """Return each protocol with its claims."""
    return {
        "paired": _(
            "Each block measures every side once, in random order, so that slow drifts cancel out. Each "
            "slowdown has an interval. Differences within noise are marked."
        )
    }


def settle_name() -> str:
    """Return the name of the field for the warm-up after a change of the side."""
    return _("Exc&luded after a change of the side")


def repeats_name() -> str:
    """Return the name of the field for repeats."""
    return _("Bloc&ks: trials of each side and load")


def splits_answer(spec: RunSpec) -> str:
    """Return the rail's text for the splits step."""
    splits = [split.label for split in spec.splits]
    return _("confined at {splits}").format(splits=join_list(splits)) if splits else _("the original settings")


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
    host = name_host(spec.host_url)
    text = _("DomTune will measure the cost of the layers between users and database on {host}: {sides}.")
    return text.format(host=host, sides=_sides_text(spec))


def setting_row(spec: RunSpec) -> tuple[str, str]:
    """Return name and text of the review's row about the sides."""
    return _("Sides"), f"{_sides_text(spec)}."


def _sides_text(spec: RunSpec) -> str:
    base = redact_url(spec.study.reference_url) if spec.study.reference_url else reference_default()
    others = [setting.label for setting in spec.settings[1:]]
    return _("{sides}, compared with {base}").format(sides=join_list(others), base=base)


def goal_sentences(spec: RunSpec) -> str:
    """Return the goal of the study as a sentence."""
    del spec
    return _("The added time on each side compared with the reference, and its causes.")


def trials_sentence(spec: RunSpec) -> str:
    """Return a sentence with the number and length of the trials per side."""
    protocol = spec.protocol
    text = _("Each side is measured once, in random order (seed {seed}).")
    if protocol.repeats != 1:
        text = _("Each side is measured once in each of {n} blocks, in random order (seed {seed}).")
    order = text.format(n=protocol.repeats, seed=format_seed(spec.seed))
    return f"{order} {settling_sentence(protocol.settle_s, protocol.measure_s, protocol.load_settle_s)}"


def protocol_summary(spec: RunSpec, trials: str) -> str:
    """Return a summary of the protocol.

    Args:
        spec: The plan.
        trials: Number of trials, as text.
    """
    protocol = spec.protocol
    text = _("{trials}: each of {n} sides {repeats} \N{MULTIPLICATION SIGN} {measure} s under each load.")
    return text.format(trials=trials, n=len(spec.settings), repeats=protocol.repeats, measure=protocol.measure_s)


def finding_words(finding: OverheadFinding) -> str:
    """Return the largest slowdown."""
    if not finding.overall:
        return _("no answer")
    most = max(finding.overall, key=lambda each: each.slowdown_frac)
    if not most.slowdown.differs_from():
        return _("noise")
    return _("{more} slower").format(more=format_percent(most.slowdown_frac))

"""The plan as facts, a line each: the host, what changes there, under which loads, and what holds if it breaks off."""

from typing import NamedTuple

from app.display_texts import join_list
from app.studies.text_registry import study_texts_of
from app.wizard.load_plan_texts import loads_sentence
from app.wizard.plan_texts import cpus_text, domain_names, mode_sentence, objective_sentences, tr
from app.wizard.plan_texts import protocol_sentence as trials_sentence
from scheduler.model.host_properties import HostProperties
from scheduler.model.setting import is_host_changed
from scheduler.model.spec import RunSpec
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url
from scheduler.plans.duration import is_simulated

ROWS = 8
_GUARD_S = 60  # docs/explanation/guard.md


class ReviewRow(NamedTuple):
    """One fact: what it is about, and the fact."""

    name: str
    text: str


def build_review_rows(spec: RunSpec, facts: HostProperties | None) -> tuple[ReviewRow, ...]:
    """Return what an administrator looks for before pressing Start: `ROWS` facts."""
    return (
        ReviewRow(tr("Host"), _host_text(spec, facts)),
        ReviewRow(tr("Changes there"), _changes_text(spec, facts)),
        ReviewRow(*_settings_row(spec)),
        ReviewRow(tr("Loads"), loads_sentence(spec)),
        ReviewRow(tr("Trials"), trials_sentence(spec)),
        ReviewRow(tr("What counts"), objective_sentences(spec)),
        ReviewRow(tr("Afterwards"), _afterwards_text(spec)),
        ReviewRow(tr("If it breaks off"), _interruption_text(spec)),
    )


def _host_text(spec: RunSpec, facts: HostProperties | None) -> str:
    name = tr("this computer") if spec.host_url == "local:" else redact_url(spec.host_url)
    return f"{replace_controls(facts.title)} ({name})" if facts and facts.title else name


def _settings_row(spec: RunSpec) -> tuple[str, str]:
    words = study_texts_of(spec.kind.name)
    if words is not None:
        return words.setting_row(spec)
    return tr("Splits"), join_list(
        [setting.label for setting in sorted(spec.measured_settings, key=lambda s: s.position)]
    )


def _afterwards_text(spec: RunSpec) -> str:
    if not any(map(is_host_changed, spec.settings)):
        return tr("The original settings are verified.")
    return tr("The original settings are restored and verified.")


def _changes_text(spec: RunSpec, facts: HostProperties | None) -> str:
    words = study_texts_of(spec.kind.name)
    if words and (own := words.changes_sentences(spec, facts)):
        return own
    if not spec.splits:
        return tr("Nothing: how its CPU is shared stays as it is found.")
    return f"{_shared_text(spec, facts)} {mode_sentence(spec, facts)}"


def _shared_text(spec: RunSpec, facts: HostProperties | None) -> str:
    if facts is None:
        return tr("The CPU shares of its I/O domain and its guest.")
    io, guest = domain_names(spec, facts)
    text = tr("How {cpus} is shared by {io} (I/O domain) and {guest} (guest), nothing else.")
    return text.format(cpus=cpus_text(facts.contended_cpus), io=io, guest=guest)


def _interruption_text(spec: RunSpec) -> str:
    """Return who restores the host; docs/explanation/restore.md has the whole table."""
    kind = spec.host_url.partition(":")[0].strip()
    if is_simulated(spec):
        return tr("Nothing is left: the simulated host ends with the sweep.")
    if kind == "xapi" or kind.endswith("+ssh"):
        text = tr("If DomTune, this computer or the connection fails, a guard on the host restores it after {n} s.")
        return text.format(n=_GUARD_S)
    text = tr("If DomTune is killed, its undo record stays: 'domtune restore', or the next start, restores the host.")
    return f"{text} {tr('A power cut takes the control groups with it.')}" if kind == "local" else text

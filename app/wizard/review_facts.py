"""The plan as facts, a line each: the host, what changes there, under which loads, and what holds if it breaks off."""

from typing import NamedTuple

from app.studies.registry import words_of
from app.wizard.load_sentences import loads_sentence
from app.wizard.sentences import cpus, domain_names, mode_sentence, objective_sentences, tr
from app.wizard.sentences import protocol_sentence as visits_sentence
from app.words import listed
from scheduler.model.facts import HostFacts
from scheduler.model.plain import plain
from scheduler.model.setting import writes
from scheduler.model.spec import RunSpec
from scheduler.model.urls import shown
from scheduler.plans.duration import is_simulated

ROWS = 8
_GUARD_S = 60  # docs/explanation/guard.md


class Row(NamedTuple):
    """One fact: what it is about, and the fact."""

    name: str
    text: str


def rows(spec: RunSpec, facts: HostFacts | None) -> tuple[Row, ...]:
    """Return what an administrator looks for before pressing Start: `ROWS` facts."""
    return (
        Row(tr("Host"), _host(spec, facts)),
        Row(tr("Changes there"), _changes(spec, facts)),
        Row(*_settings(spec)),
        Row(tr("Loads"), loads_sentence(spec)),
        Row(tr("Visits"), visits_sentence(spec)),
        Row(tr("What counts"), objective_sentences(spec)),
        Row(tr("Afterwards"), _afterwards(spec)),
        Row(tr("If it breaks off"), _broken_off(spec)),
    )


def _host(spec: RunSpec, facts: HostFacts | None) -> str:
    name = tr("this computer") if spec.host_url == "local:" else shown(spec.host_url)
    return f"{plain(facts.title)} ({name})" if facts and facts.title else name


def _settings(spec: RunSpec) -> tuple[str, str]:
    words = words_of(spec.study)
    if words is not None:
        return words.setting_row(spec)
    return tr("Splits"), listed([setting.label for setting in sorted(spec.visited, key=lambda s: s.position)])


def _afterwards(spec: RunSpec) -> str:
    if not any(map(writes, spec.settings)):
        return tr("The original settings are verified.")
    return tr("The original settings are restored and verified.")


def _changes(spec: RunSpec, facts: HostFacts | None) -> str:
    words = words_of(spec.study)
    if words and (own := words.changes(spec, facts)):
        return own
    if not spec.splits:
        return tr("Nothing: how its CPU is shared stays as it is found.")
    return f"{_shared(spec, facts)} {mode_sentence(spec, facts)}"


def _shared(spec: RunSpec, facts: HostFacts | None) -> str:
    if facts is None:
        return tr("The CPU shares of its I/O domain and its guest.")
    io, guest = domain_names(spec, facts)
    text = tr("How {cpus} is shared by {io} (I/O domain) and {guest} (guest), nothing else.")
    return text.format(cpus=cpus(facts.contended_cpus), io=io, guest=guest)


def _broken_off(spec: RunSpec) -> str:
    """Return who puts the host back; docs/explanation/restore.md has the whole table."""
    kind = spec.host_url.partition(":")[0].strip()
    if is_simulated(spec):
        return tr("Nothing is left: the simulated host ends with the sweep.")
    if kind == "xapi" or kind.endswith("+ssh"):
        text = tr("If DomTune, this computer or the connection fails, a guard on the host puts it back after {n} s.")
        return text.format(n=_GUARD_S)
    text = tr("If DomTune is killed, its undo record stays: 'domtune restore', or the next start, puts the host back.")
    return f"{text} {tr('A power cut takes the control groups with it.')}" if kind == "local" else text

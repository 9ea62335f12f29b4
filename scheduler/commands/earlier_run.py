"""Earlier run whose results a race begins with.

The run has the same host, mode, loads and database, and is the last such run.
"""

import datetime
import logging
from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np

from scheduler.commands.stored_runs import read_trials
from scheduler.errors import SpecError, StoreError
from scheduler.model.documents import RunOutcome, TrialDone
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.host_kinds import is_simulated
from scheduler.model.host_properties import HostProperties
from scheduler.model.setting import label_of
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.studies import find_study
from scheduler.stats.history_means import build_history
from scheduler.store.run_entries import RunEntry
from scheduler.store.run_rows import RunRow
from scheduler.store.run_store import RunStore
from scheduler.translation import _

log = logging.getLogger(__name__)

_MOST_RUNS = 50  # newest runs of a host that are examined
_UNFIT = (StoreError, SpecError, msgspec.ValidationError, ArithmeticError, ValueError, np.linalg.LinAlgError)
_LEAST_TRIALS = 2  # for each split and load, in a run that did not complete
_TOO_SHORT = _("it ended before every split had two valid trials under each load")
_NO_SPREAD = _("its trials do not show how much trials differ")
_HINT = _("history = false in the plan leaves it out.")


def find_history(store: RunStore, spec: RunSpec, facts: HostProperties, continues: str = "") -> EarlierRun | None:
    """Return the means of the last usable run, or the reason why none is used.

    Damaged and foreign runs are skipped.

    Args:
        store: The store of runs.
        spec: The plan of the new sweep.
        facts: Properties of its host.
        continues: Id of the run that the sweep continues; its history is reused. Empty for a new sweep.

    Returns:
        The history; None when the plan uses none, or nothing was measured on this host before.
    """
    if not spec.can_use_history:
        return None
    if continues:
        return store.run(continues).history
    refused: EarlierRun | None = None
    for entry in _earlier_runs(store, spec, facts):
        found = _history_in(store, entry, spec, facts)
        if found is not None and not found.unused:
            return found
        refused = refused or found
    return refused


def history_words(history: EarlierRun) -> tuple[str, str]:
    """Return the use of an earlier run by a new sweep, and a hint for the user."""
    if history.unused:
        return _("The run of {day} is not used: {unused}.").format(day=history.day, unused=history.unused), ""
    return _("Begins with the run of {day}, until a split contradicts it.").format(day=history.day), _HINT


def _earlier_runs(store: RunStore, spec: RunSpec, facts: HostProperties) -> Iterator[RunEntry]:
    """Yield the newest split runs of this host, then those of the same URL."""
    seen: set[str] = set()
    for entry in (*store.recent_runs(_MOST_RUNS, facts.host_id), *store.recent_runs(_MOST_RUNS)):
        same_host = entry.host_id == facts.host_id or entry.plan.host_url == spec.host_url
        if entry.plan.observes:
            continue
        if same_host and find_study(entry.plan.study).recommends_split and entry.run_id not in seen:
            seen.add(entry.run_id)
            yield entry


def _history_in(store: RunStore, entry: RunEntry, spec: RunSpec, facts: HostProperties) -> EarlierRun | None:
    """Return the history of one run, used or not; None for an unusable or empty run."""
    try:
        row = store.run(entry.run_id)
        if not row.spec.protocol.decides:
            return None
        date = datetime.datetime.fromtimestamp(row.started_unix_s, datetime.UTC).astimezone().date()
        unused = difference_from(row, spec, facts)
        if unused:
            return EarlierRun(run_id=row.run_id, date=date, unused=unused)
        return _build_history(row, read_trials(store, row), spec, date)
    except _UNFIT as error:
        log.info("run %s is no history: %s", entry.run_id, error)
        return None


def _build_history(row: RunRow, trials: list[TrialDone], spec: RunSpec, date: datetime.date) -> EarlierRun | None:
    if not any(trial.valid for trial in trials):
        return None
    unused = _trial_shortage(row, trials, spec)
    found = None if unused else build_history(trials, row.spec, row.run_id, date)
    if found is None:
        return EarlierRun(run_id=row.run_id, date=date, unused=unused or _NO_SPREAD)
    return msgspec.convert(msgspec.to_builtins(found), EarlierRun)  # refuses figures that are impossible


def difference_from(row: RunRow, spec: RunSpec, facts: HostProperties) -> str:
    """Return the first difference that makes an earlier run another experiment.

    Args:
        row: The earlier run.
        spec: The plan of the new sweep.
        facts: Properties of its host.

    Returns:
        A clause; empty without a difference.
    """
    if is_simulated(spec.host_url) and row.spec.seed == spec.seed:
        return _("the earlier run is simulated with the same seed, so its noise would count twice")
    before = _experiment_identity(row.spec, row.facts)
    return next((clause for clause, value in _experiment_identity(spec, facts).items() if before[clause] != value), "")


def _experiment_identity(spec: RunSpec, facts: HostProperties) -> dict[str, object]:
    """Return the properties that comparable runs share, with a clause for each."""
    loads = {load.name: load for load in spec.loads}
    return {
        "its host differs": facts.host_id,
        "its scheduler differs": (facts.scheduler, dict(facts.scheduler_settings)),
        "its domains differ": [(domain.id, domain.name, domain.uuid) for domain in facts.domains],
        "its CPUs differ": (facts.pcpus, len(facts.shared_cpus), [domain.vcpus for domain in facts.domains]),
        "its mode differs": spec.mode,
        "the period of its caps differs": spec.period_us if spec.mode is Mode.CAPS else None,
        "its loads differ": sorted(loads),
        "its users differ": {name: load.users for name, load in loads.items()},
        "its database differs": ({name: (load.engine, load.url) for name, load in loads.items()}, dict(spec.server)),
        "the parameters of its loads differ": {
            name: (load.tuples, load.probe, dict(load.values)) for name, load in loads.items()
        },
        "its clients differ": spec.clients,
    }


def _trial_shortage(row: RunRow, trials: list[TrialDone], spec: RunSpec) -> str:
    """Return why an unfinished run has too few trials; empty when it has enough."""
    if row.outcome is RunOutcome.COMPLETED:
        return ""
    cell_counts = Counter(
        (label_of(trial.setting), trial.load) for trial in trials if trial.valid and trial.mean_tps > 0
    )
    wanted = ((setting.label, load.name) for setting in spec.settings for load in spec.loads)
    return _TOO_SHORT if any(cell_counts[cell] < _LEAST_TRIALS for cell in wanted) else ""

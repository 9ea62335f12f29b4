"""Export of a run as a run file."""

import platform
import time
from collections.abc import Collection, Mapping
from importlib.metadata import version
from pathlib import Path

from scheduler.errors import SpecError, StoreError
from scheduler.export.guarded_writing import write_guarded
from scheduler.model.run_paths import RUN_FILE_SUFFIX
from scheduler.store.run_file import FORMAT, RunFile, RunManifest, ShownRun, write_run_file
from scheduler.store.run_store import RunStore
from scheduler.translation import _


def export_run_file(
    store: RunStore,
    run_id: str,
    target: Path,
    *,
    planned_weights: Mapping[str, float] | None = None,
    shown_weights: Mapping[str, float] | None = None,
    replacing: Collection[Path] | None = (),
) -> tuple[Path, ...]:
    """Write a stored run, of any kind, to a run file.

    Args:
        store: The store with the run.
        run_id: The run.
        target: The file; a name without a suffix gets `.domtune`.
        planned_weights: Load kind to its weight in the plan, 0..1, if others are displayed.
        shown_weights: Load kind to the displayed weight, 0..1; None when the plan's are displayed.
        replacing: Files that the user allows to replace; None for all.

    Returns:
        The written file.

    Raises:
        StoreError: The run has not ended, cannot be read, or is too large.
        SpecError: The target names no file, or exists already.
        OSError: The target cannot be written.
    """
    if not target.name or target.name == "..":
        raise SpecError(
            "--out",
            _("{target} names no file to make").format(target=target),
            hint=_("Name one, for example run.domtune."),
        )
    entry = store.entry(run_id)
    if entry.outcome is None:
        hint = _("Wait for its end. 'domtune restore' records the end of an interrupted run.")
        raise StoreError(
            _("run {run_id} has not ended, so a file of it would lack its end").format(run_id=run_id), hint=hint
        )
    computer = entry.origin.computer if entry.origin is not None else platform.node()
    manifest = RunManifest(
        format=FORMAT,
        domtune=version("domtune"),
        run_id=run_id,
        created_unix_s=time.time(),
        computer=computer[:255],
        sha256={},
    )
    if shown_weights is None and entry.origin is not None:
        planned_weights, shown_weights = entry.origin.planned_weights, entry.origin.shown_weights
    shown = ShownRun(
        labels=entry.labels, planned_weights=dict(planned_weights or {}), shown_weights=dict(shown_weights or {})
    )
    run = RunFile(manifest=manifest, documents=tuple(store.documents(run_id)), shown=shown)
    named = target if target.suffix else target.with_name(target.name + RUN_FILE_SUFFIX)
    named.parent.mkdir(parents=True, exist_ok=True)
    return write_guarded(lambda path: (write_run_file(path, run),), named, replacing)

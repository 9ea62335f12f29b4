"""Import of run files into the store, as runs from elsewhere."""

import time
from pathlib import Path

import msgspec

from scheduler.errors import SchedulerError, StoreError
from scheduler.model.codec import encode_json
from scheduler.model.command_answers import ImportAnswer, ImportedRun, RefusedFile
from scheduler.model.observation_documents import ObservationStarted
from scheduler.model.run_paths import RESULTS_SUFFIX
from scheduler.store.observation_summary import summarise_observation
from scheduler.store.results_file import read_results_file
from scheduler.store.run_entries import AnswerSummary, RunOrigin, summarise_results
from scheduler.store.run_file import RunFile, documents_digest, read_run_file
from scheduler.store.run_store import RunStore
from scheduler.translation import _

_MOST_NAME = 200  # characters of a file name in the list
_IMPOSSIBLE = (SchedulerError, msgspec.MsgspecError, ArithmeticError, ValueError, TypeError, LookupError)


def import_files(store: RunStore, paths: list[Path]) -> ImportAnswer:
    """Import run files and check results files; a refused file stops no other.

    Args:
        store: The store, open for writing.
        paths: The files.

    Returns:
        The answer, with the refused files and the reason of each.
    """
    runs: list[ImportedRun] = []
    results: list[str] = []
    refused: list[RefusedFile] = []
    for path in paths:
        try:
            if path.suffix == RESULTS_SUFFIX:
                read_results_file(path)
                results.append(str(path))
            else:
                runs.append(_import_run(store, path))
        except StoreError as error:
            refused.append(RefusedFile(file=str(path), error=str(error), hint=error.hint))
    return ImportAnswer(runs=tuple(runs), results=tuple(results), refused=tuple(refused))


def _import_run(store: RunStore, path: Path) -> ImportedRun:
    """Import one run file.

    Raises:
        StoreError: The file is refused, or the store has another run of this id.
    """
    run = read_run_file(path)
    run_id = run.manifest.run_id
    if store.has_run(run_id):
        _refuse_other_content(store, path, run)
        return ImportedRun(file=str(path), run_id=run_id, already=True)
    answer, body = _summarise(path, run)
    origin = RunOrigin(
        file=path.name[:_MOST_NAME].encode(errors="replace").decode(),
        computer=run.manifest.computer,
        imported_unix_s=time.time(),
        planned_weights=run.shown.planned_weights,
        shown_weights=run.shown.shown_weights,
    )
    store.add_run(run_id, run.documents, run.shown.labels, origin)
    store.keep_answer(run_id, answer, body)
    return ImportedRun(file=str(path), run_id=run_id)


def _refuse_other_content(store: RunStore, path: Path, run: RunFile) -> None:
    """Refuse a run whose id the store has with other documents; nothing is replaced."""
    run_id = run.manifest.run_id
    if store.entry(run_id).deleted_unix_s is not None:
        text = _("{path} was not imported: run {run_id} is among the deleted runs here").format(
            path=path.name, run_id=run_id
        )
        raise StoreError(
            text, hint=_("'domtune runs {run_id} --undelete' restores it to the list.").format(run_id=run_id)
        )
    here = documents_digest(store.documents(run_id))
    if here != run.digest:
        raise StoreError(
            _(
                "{path} was not imported: run {run_id} is already here with other content (here "
                "sha256 {here}, in the file {digest})"
            ).format(path=path.name, run_id=run_id, here=here, digest=run.digest),
            hint=_("Nothing was replaced. To take the file's run, delete the run here first."),
        )


def _summarise(path: Path, run: RunFile) -> tuple[AnswerSummary | None, str]:
    """Return the answer and the results as JSON; raise StoreError for neither."""
    from scheduler.stats.results import summarise_run  # imports numpy

    try:
        if isinstance(run.documents[0], ObservationStarted):
            return summarise_observation(run.documents), ""
        results = summarise_run(run.documents)
    except _IMPOSSIBLE as error:
        text = _("{path} was not imported: its figures are impossible ({error})").format(
            path=path.name, error=type(error).__name__
        )
        raise StoreError(text, hint=_("Ask for the file again.")) from error
    return summarise_results(results), encode_json(results).decode()

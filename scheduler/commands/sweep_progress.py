"""Progress of a sweep on standard error: one bar, the current trial, warnings."""

import contextlib
import sys
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from scheduler.commands.dry_run import estimate_sweep, length_words
from scheduler.model.documents import (
    DecisionSoFar,
    Document,
    LoadChecked,
    LoadSample,
    Notice,
    RunStarted,
    StateChanged,
    TrialDone,
    TrialStarted,
)
from scheduler.model.load_kinds import rate_unit
from scheduler.model.member import member_label
from scheduler.model.number_texts import format_table_number
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.setting import first_loaded_guest, label_of
from scheduler.model.shared_set import describe_confinement
from scheduler.model.split import DomainId
from scheduler.model.terminal_text import replace_controls
from scheduler.translation import _

_AGAIN_S = 60.0
"""Seconds of the run after which the decision so far is printed again within a block."""


class SweepProgress:
    """Progress bar of a sweep; a closed terminal does not end the sweep.

    Args:
        quiet: True to show nothing.
    """

    def __init__(self, *, quiet: bool) -> None:
        columns = (
            BarColumn(30),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
        )
        self._bar = Bar(*columns, console=Console(file=sys.stderr), refresh_per_second=2)
        self._task = self._bar.add_task("starting", total=None)
        self._trial = ""
        self._leading_guest: DomainId | None = None
        self._mark = ""
        self._units: dict[str, str] = {}
        self._quiet = quiet
        self._drawing = False
        self._so_far: DecisionSoFar | None = None  # decision that was printed last

    def __enter__(self) -> Self:
        """Return this object; drawing starts with the first document."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        with contextlib.suppress(OSError):
            if self._drawing:
                self._bar.stop()

    def take(self, document: Document) -> None:
        """Show one document."""
        with contextlib.suppress(OSError):
            if not self._quiet:
                self._show_document(document)

    def _show_document(self, document: Document) -> None:
        match document:
            case RunStarted(trials=trials, spec=spec, facts=facts):
                self._mark = "simulated: " if facts.simulated else ""
                self._units = spec.units
                self._bar.start()
                self._drawing = True
                self._bar.update(self._task, total=None if spec.adapts else trials)
                self._bar.print(f"{self._mark}{length_words(estimate_sweep(spec))}")
                if placed := describe_confinement(facts):
                    self._bar.print(
                        replace_controls(
                            _("{mark}{placed}; DomTune restores every placement").format(mark=self._mark, placed=placed)
                        ),
                        markup=False,
                    )
            case TrialStarted(setting=setting, load=load):
                self._leading_guest = first_loaded_guest(setting)
                self._trial = f"{self._mark}{label_of(setting)} {load}"
                self._bar.update(self._task, description=self._trial)
            case LoadSample(load=load, throughput_tps=tps, settling=settling) if document.guest == self._leading_guest:
                remark = " settling" if settling else ""
                self._bar.update(
                    self._task,
                    description=f"{self._trial} {format_table_number(tps)} {rate_unit([load], self._units)}{remark}",
                )
            case TrialDone(trial=trial):
                self._bar.update(self._task, completed=max(trial + 1, self._bar.tasks[0].completed))
            case StateChanged(state=state, text=text):
                self._bar.update(self._task, description=replace_controls(text) or state.value)
            case Notice() | LoadChecked() | DecisionSoFar():
                self._print_line(document)
            case _:
                return

    def _print_line(self, document: Notice | LoadChecked | DecisionSoFar) -> None:
        """Print a line above the bar.

        Decisions are printed after each block, and once a minute within the first block.
        """
        match document:
            case Notice(level=level, text=text, hint=hint):
                line = f"{level}: {join_sentences(text, hint)}"
            case LoadChecked(load=load, guest=guest, text=text, passed=passed):
                line = _("{member_label} check {value}: {text}").format(
                    member_label=member_label(load, guest), value="passed" if passed else "FAILED", text=text
                )
            case DecisionSoFar():
                if document.ended or not self._is_time_to_print(document):
                    return
                self._so_far, line = document, document.text
        self._bar.print(replace_controls(line), markup=False)

    def _is_time_to_print(self, so_far: DecisionSoFar) -> bool:
        before = self._so_far
        return before is None or so_far.blocks != before.blocks or so_far.t_s >= before.t_s + _AGAIN_S

"""What the result page says above its answer: what is missing of a run, and above all how its host is now."""

from collections.abc import Collection
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from app.display_texts import capitalise_first, first_line
from app.live.live_texts import host_words
from app.panels.result_data import ResultData
from scheduler.stats.stalls import first_of_each_trial


class StatusMessage(NamedTuple):
    """A message: level, text, hint, details; as a `MessageBar` takes them."""

    level: str
    text: str
    hint: str = ""
    details: str = ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("run_state", text)


def run_status_of(finding: ResultData, due: Collection[str]) -> StatusMessage | None:
    """Return what has to be said of a run; None where all is well.

    In red is only what its undo record says: that goes when the host has been put back, by whomever.

    Args:
        finding: The run.
        due: Ids of hosts that still have settings of a broken sweep.
    """
    results = finding.results
    if finding.run.facts.host_id in due and not results.restored:
        hint = _tr("Use Restore now in the red banner, or run 'domtune restore'.")
        return StatusMessage("error", _tr("The host still has settings of this sweep."), hint)
    if not finding.ended:
        text = _tr("This sweep has not said yet how it ended: another process may still be measuring.")
        return StatusMessage("info", text, _measured_text(finding))
    if results.broke_off:
        text = _tr("This sweep {where}.").format(where=results.reason)
        return StatusMessage("warning", f"{text} {host_words(results)}", _measured_text(finding))
    if not (results.restored or results.busy):
        text = _tr("When this sweep ended, its host was not restored.")
        hint = _tr("No undo record of it is left: somebody has restored the host since, or kept the record aside.")
        return StatusMessage("warning", text, hint, results.reason)
    if not finding.unfinished:
        return None
    why, details = first_line(results.reason)
    why = f"{capitalise_first(why)}. " if results.put_back_unix_s and why else capitalise_first(why)
    return StatusMessage(
        "info", _measured_text(finding), f"{why}{host_words(results)}" if results.put_back_unix_s else why, details
    )


def _measured_text(finding: ResultData) -> str:
    text = _tr("This sweep is unfinished: {n} of {all} trials were measured.")
    if finding.run.spec.adapts:
        text = _tr("This sweep is unfinished: {n} trials were measured, and it was not decided yet.")
    return text.format(n=len(first_of_each_trial(finding.visits)), all=finding.run.visits)

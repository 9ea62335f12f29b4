"""What the result page says above its answer: what is missing of a run, and above all how its host is now."""

from collections.abc import Collection
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from app.live.phrases import host_words
from app.panels.result_data import Finding
from app.words import capital, first_line
from scheduler.stats.stalls import one_of_each


class Said(NamedTuple):
    """A message: level, text, hint, details; as a `MessageBar` takes them."""

    level: str
    text: str
    hint: str = ""
    details: str = ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("run_state", text)


def state_of(finding: Finding, due: Collection[str]) -> Said | None:
    """Return what has to be said of a run; None where all is well.

    In red is only what its undo record says: that goes when the host has been put back, by whomever.

    Args:
        finding: The run.
        due: Ids of hosts that still have settings of a broken sweep.
    """
    results = finding.results
    if finding.run.facts.host_id in due and not results.restored:
        hint = _tr("Use Restore now in the red banner, or run 'domtune restore'.")
        return Said("error", _tr("The host still has settings of this sweep."), hint)
    if not finding.ended:
        text = _tr("This sweep has not said yet how it ended: another process may still be measuring.")
        return Said("info", text, _measured(finding))
    if results.broke_off:
        text = _tr("This sweep {where}.").format(where=results.reason)
        return Said("warning", f"{text} {host_words(results)}", _measured(finding))
    if not (results.restored or results.busy):
        text = _tr("When this sweep ended, its host was not restored.")
        hint = _tr("No undo record of it is left: somebody has restored the host since, or kept the record aside.")
        return Said("warning", text, hint, results.reason)
    if not finding.unfinished:
        return None
    why, details = first_line(results.reason)
    why = f"{capital(why)}. " if results.put_back_unix_s and why else capital(why)
    return Said("info", _measured(finding), f"{why}{host_words(results)}" if results.put_back_unix_s else why, details)


def _measured(finding: Finding) -> str:
    text = _tr("This sweep is unfinished: {n} of {all} trials were measured.")
    if finding.run.spec.adapts:
        text = _tr("This sweep is unfinished: {n} trials were measured, and it was not decided yet.")
    return text.format(n=len(one_of_each(finding.visits)), all=finding.run.visits)

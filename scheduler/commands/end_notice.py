"""Notice at the end of a run.

The notice is the program of --notify, and a notification of the desktop for a run without a window.
"""

import contextlib
import logging
import shlex
import sys

from scheduler.children import environment_without_secrets, find_program, run_and_capture
from scheduler.desktop_notification import NotificationFailed, notify_desktop
from scheduler.errors import SpecError
from scheduler.model.results import Results
from scheduler.model.run_end import SWEEP_END, RunEnd
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url
from scheduler.run.window_link import WindowLink
from scheduler.translation import _

log = logging.getLogger(__name__)

NOTICE_LIMIT_S = 30.0
"""Time limit of the program of --notify, seconds."""


class EndNotice:
    """Notice at the end of a run.

    Args:
        command: Program and arguments, as in a shell, but never run by a shell; empty for none.

    Raises:
        SpecError: The text cannot be split, or the program is missing.
    """

    def __init__(self, command: str) -> None:
        self._words = _split_command(command)

    def send(self, end: RunEnd, link: WindowLink | None = None) -> None:
        """Send the notice; a failure is only reported.

        Args:
            end: End of the run.
            link: Link to the windows. A run that continues without a window shows a notification of the desktop.
        """
        if self._words:
            self._run_program(end)
        if link is not None and link.is_alone:
            try:
                notify_desktop(end.text)
            except NotificationFailed as error:
                log.info("no notification of the end: %s", error)

    def _run_program(self, end: RunEnd) -> None:
        environment = environment_without_secrets()
        environment.update(
            DOMTUNE_NOTICE=end.text,
            DOMTUNE_KIND=end.kind,
            DOMTUNE_OUTCOME=end.outcome.value,
            DOMTUNE_RESTORED="yes" if end.restored else "no",
            DOMTUNE_URL=redact_url(end.host),
        )
        try:
            done = run_and_capture(self._words, NOTICE_LIMIT_S, environment=environment)
        except OSError as error:  # includes a timeout
            _report_failure(str(error))
            return
        if done.returncode:
            _report_failure(_("exit code {returncode}").format(returncode=done.returncode))


def end_of_sweep(results: Results) -> RunEnd:
    """Return the end of a sweep from its results."""
    restored, busy = results.restored, results.busy
    return RunEnd(SWEEP_END, results.host, results.outcome, restored, results.reason, busy=busy)


def _split_command(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SpecError(
            "--notify", _("cannot be read: {error}").format(error=error), hint=_("Check the quotation marks.")
        ) from error
    if not words:
        return []
    program = find_program(words[0])
    if not program:
        raise SpecError(
            "--notify", _("the program {words} was not found").format(words=words[0]), hint=_("Name its absolute path.")
        )
    return [program, *words[1:]]


def _report_failure(why: str) -> None:
    log.warning("the program of --notify failed: %s", why)
    with contextlib.suppress(OSError):
        text = _("The program of --notify failed: {why}. The run itself is not affected.").format(why=why)
        print(replace_controls(text), file=sys.stderr)

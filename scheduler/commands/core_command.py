"""`python -m scheduler core`: run a sweep for the window, over JSON lines."""

import argparse
import sys
from functools import partial

import msgspec

from scheduler.background_runs import SWEEP
from scheduler.commands.end_notice import EndNotice, end_of_sweep
from scheduler.commands.exit_codes import ExitCode, exit_for_error, exit_for_run
from scheduler.commands.signals import end_on_signals
from scheduler.commands.simulation import sweep_control
from scheduler.commands.sweep import SweepRequest, run_sweep
from scheduler.errors import HostBusy, SchedulerError, SpecError, SweepAborted
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.documents import Notice, RunOutcome, RunStopped
from scheduler.model.host_properties import Severity
from scheduler.run.control import AbortRequested, MonotonicClock, RunControl
from scheduler.run.window_link import WindowLink, carry_out_order, read_begin
from scheduler.translation import _


def core(_: argparse.Namespace) -> int:
    """Carry out the window's orders until the run or the window ends."""
    with WindowLink(SWEEP) as link:
        try:
            return _run_for_window(link)
        except SchedulerError as error:
            # Nothing was changed; the window still needs a last document.
            link.send(Notice(t_s=0.0, level=Severity.ERROR, text=str(error), hint=error.hint))
            busy = isinstance(error, HostBusy)
            code = exit_for_error(error)
            restored = not busy and code is not ExitCode.NOT_RESTORED
            outcome = RunOutcome.ABORTED if isinstance(error, SweepAborted) else RunOutcome.FAILED
            link.send(RunStopped(t_s=0.0, outcome=outcome, restored=restored, reason=str(error), busy=busy))
            return code


def _run_for_window(link: WindowLink) -> int:
    orders = sys.stdin.buffer
    early = RunControl(MonotonicClock())  # the first line decides which clock the run needs
    end_on_signals(early)
    try:
        begin = read_begin(orders)
    except EOFError:
        return ExitCode.ABORTED
    except msgspec.MsgspecError as error:
        raise SpecError(_("first line"), str(error), hint=_("Is the window of another version?")) from error
    control = sweep_control(begin.spec)
    end_on_signals(control)
    _carry_over(early, control)
    link.listen(
        partial(orders.readline, MOST_LINE_BYTES + 1),
        lambda line: carry_out_order(line, control),
        lambda: control.abort(_("the window is gone")),
    )
    request = SweepRequest(begin.spec, begin.secrets, begin.continues, begin.consent, own_passwords=begin.own_passwords)
    done = run_sweep(request, control, [link.send])
    results = done.results
    EndNotice("").send(end_of_sweep(results), link)
    return exit_for_run(results.outcome, done.error, restored=results.restored, busy=results.busy)


def _carry_over(early: RunControl, control: RunControl) -> None:
    """Pass on an abort by a signal that came before the sweep's own control existed."""
    try:
        early.check_abort()
    except AbortRequested as request:
        control.abort_soon(str(request))

"""Execution of steps, with each answer in the command log and errors translated."""

import errno
from collections.abc import Iterable

from scheduler.errors import DomainGone, HostError, HostNotUsable, ParameterRefused
from scheduler.hosts.local.cgroup_steps import CgroupStep, SetFile
from scheduler.hosts.protocols import CommandLog
from scheduler.translation import _


def run_steps(steps: Iterable[CgroupStep], command_log: CommandLog) -> None:
    """Do the steps in order, each with its answer in the command log.

    Args:
        steps: The steps.
        command_log: Called with each step as a line, and its answer.

    Raises:
        ParameterRefused: The kernel does not accept a value.
        HostNotUsable: The kernel denies access.
        DomainGone: The group is gone.
        HostError: The kernel reports any other error.
    """
    for step in steps:
        try:
            answer = step.do()
        except OSError as error:
            command_log(step.line, error.strerror or str(error))
            raise _step_error(step, error) from error
        command_log(step.line, answer)


def _step_error(step: CgroupStep, error: OSError) -> HostError:
    what = _("'{line}' was answered with: {strerror}").format(line=step.line, strerror=error.strerror or error)
    if error.errno in {errno.EINVAL, errno.ERANGE} and isinstance(step, SetFile):
        return ParameterRefused(what, hint=_("A limit of a group above may forbid this value."))
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return HostNotUsable(what, hint=_("DomTune needs to write to this group: see 'domtune probe local:'."))
    if error.errno == errno.ENOENT:
        return DomainGone(what, hint=_("Did another program remove the control group?"))
    if error.errno == errno.EBUSY:
        return HostError(what, hint=_("Processes or other groups are still in it; look into its cgroup.procs."))
    return HostError(what)

"""Execution of steps, with each answer in the command log and errors translated."""

import errno
from collections.abc import Iterable

from scheduler.errors import DomainGone, HostError, HostNotUsable, ParameterRefused
from scheduler.hosts.local.cgroup_steps import CgroupStep, SetFile
from scheduler.hosts.protocols import CommandLog


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
    what = f"'{step.line}' was answered with: {error.strerror or error}"
    if error.errno in {errno.EINVAL, errno.ERANGE} and isinstance(step, SetFile):
        return ParameterRefused(what, hint="A limit of a group above may forbid this value.")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return HostNotUsable(what, hint="DomTune needs to write to this group: see 'domtune probe local:'.")
    if error.errno == errno.ENOENT:
        return DomainGone(what, hint="Did another program remove the control group?")
    if error.errno == errno.EBUSY:
        return HostError(what, hint="Processes or other groups are still in it; look into its cgroup.procs.")
    return HostError(what)

"""Command `domtune lab KIND up|status|down`: a hypervisor to try things on."""

import argparse
import signal
import sys

from labs.lxc import lab as lxc
from labs.xen import lab as xen
from labs.xen.lab_status import read_status
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode, exit_for_error
from scheduler.errors import SchedulerError
from scheduler.model.lab import LabState, LabStatus
from scheduler.model.terminal_text import replace_controls

_DONE = {"up": LabState.UP, "status": LabState.UP, "down": LabState.DOWN}


def lab(arguments: argparse.Namespace) -> int:
    """Start, look at or end the lab; return 0 when it is in the requested state.

    `status` returns 0 when all of the lab answers.
    """
    for name in ("SIGTERM", "SIGHUP"):  # a start that is broken off ends what it began
        signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        answer = _run_action(arguments)
    except SchedulerError as error:
        if arguments.json:
            print_json(LabStatus(state=_read_status(arguments.kind).state, text=str(error), hint=error.hint))
            return exit_for_error(error)
        raise
    if arguments.json:
        print_json(answer)
    else:
        print_lines(*_status_lines(answer))
    return ExitCode.DONE if answer.state is _DONE[arguments.action] else ExitCode.FAILED


def _run_action(arguments: argparse.Namespace) -> LabStatus:
    match arguments.kind, arguments.action:
        case "lxc", "up":
            return lxc.start_lab(_print_step, bare=arguments.bare)
        case "lxc", "down":
            return lxc.stop_lab(_print_step)
        case _, "up":
            return xen.start_lab(
                arguments.scheduler,
                _print_step,
                fresh=arguments.fresh,
                guests=arguments.guests,
                cpus=arguments.cpus,
            )
        case _, "down":
            return xen.stop_lab(_print_step)
        case kind, _:
            return _read_status(kind)


def _read_status(kind: str) -> LabStatus:
    return lxc.read_status() if kind == "lxc" else read_status()


def _print_step(text: str) -> None:
    print(f"lab: {replace_controls(text)}", file=sys.stderr, flush=True)


def _status_lines(answer: LabStatus) -> list[str]:
    lines = [f"{answer.state}: {answer.text}", f"  {answer.hint}" if answer.hint else ""]
    if not answer.ports:
        return lines
    if not answer.ssh_config:  # containers on this computer: nothing to log in to
        base = f"  without a container: {answer.base_url}" if answer.base_url else ""
        return [*lines, f"  host:     {answer.host_url}", f"  database: {answer.database_url}", base]
    domains = [
        f"  {domain.name}: domid {domain.domid}, {domain.vcpus} vCPU, {domain.cpu_s:.0f} s of CPU"
        for domain in answer.domains
    ]
    ports = ", ".join(f"{name} {port}" for name, port in answer.ports.items())
    return [
        *lines,
        f"  scheduler {answer.scheduler or 'unknown'}; up for {answer.uptime_s:.0f} s; process {answer.pid or 'none'}",
        *domains,
        f"  on 127.0.0.1: {ports}",
        f"  host:     {answer.host_url}",
        f"  Dom0:     ssh -F {answer.ssh_config} domtune-xen",
        f"  guest:    ssh -F {answer.ssh_config} domtune-xen-guest",
        f"  database: {answer.database_url} ({'answers' if answer.postgresql else 'does not answer'})",
        f"  second:   {answer.second_database_url}; domtune-xen-guest-2" if answer.second_database_url else "",
        f"  console:  {answer.console}",
        "  This is emulation. Compare figures with each other only, not with a real computer.",
        "  The recipe has changed. The lab is rebuilt after the next `down`." if answer.stale else "",
    ]

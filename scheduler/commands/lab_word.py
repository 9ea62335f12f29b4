"""`domtune lab KIND up|status|down`: a hypervisor to try things on, made on this computer."""

import argparse
import signal
import sys

from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.exits import Exit, exit_for_error
from scheduler.errors import SchedulerError
from scheduler.labs.lxc import lab as lxc
from scheduler.labs.xen import lab as xen
from scheduler.labs.xen.looking import status
from scheduler.model.lab import LabState, LabStatus
from scheduler.model.plain import plain

_DONE = {"up": LabState.UP, "status": LabState.UP, "down": LabState.DOWN}


def lab(arguments: argparse.Namespace) -> int:
    """Start, look at or end the lab; 0 when it is then as asked for, and for `status` when all of it answers."""
    for name in ("SIGTERM", "SIGHUP"):  # a start that is broken off ends what it began
        signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        answer = _act(arguments)
    except SchedulerError as error:
        if arguments.json:
            print_json(LabStatus(state=_look(arguments.kind).state, text=str(error), hint=error.hint))
            return exit_for_error(error)
        raise
    if arguments.json:
        print_json(answer)
    else:
        print_lines(*_words(answer))
    return Exit.DONE if answer.state is _DONE[arguments.action] else Exit.FAILED


def _act(arguments: argparse.Namespace) -> LabStatus:
    match arguments.kind, arguments.action:
        case "lxc", "up":
            return lxc.up(_say, bare=arguments.bare)
        case "lxc", "down":
            return lxc.down(_say)
        case _, "up":
            return xen.up(arguments.scheduler, _say, fresh=arguments.fresh, guests=arguments.guests)
        case _, "down":
            return xen.down(_say)
        case kind, _:
            return _look(kind)


def _look(kind: str) -> LabStatus:
    return lxc.status() if kind == "lxc" else status()


def _say(text: str) -> None:
    print(f"lab: {plain(text)}", file=sys.stderr, flush=True)


def _words(answer: LabStatus) -> list[str]:
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
        f"  Dom0:     ssh -F {answer.ssh_config} domtune-xen",
        f"  guest:    ssh -F {answer.ssh_config} domtune-xen-guest",
        f"  database: {answer.database_url} ({'answers' if answer.postgresql else 'does not answer'})",
        f"  second:   {answer.second_database_url}; domtune-xen-guest-2" if answer.second_database_url else "",
        f"  console:  {answer.console}",
        "  This is emulation: figures hold against each other, not against a real computer's.",
        "  The recipe has changed since it was built: it is built anew after the next `down`." if answer.stale else "",
    ]

"""A sweep of the lab in a process of its own, to be killed: arms a guard, changes weights, says what came of each.

python -m tests.lab.guard_client BASE SCHEDULER GUEST_NUMBER GUEST_UUID TTL_S
"""

import itertools
import os
import sys
import threading

from scheduler.errors import GuardFired, HostUnreachable
from scheduler.hosts.remote.guard import Guard
from scheduler.hosts.remote.guard_script import DOM0, NUMBER, RestoreCommands, restore_lines
from scheduler.hosts.remote.ssh_shell import SshShell
from scheduler.hosts.remote.ssh_url import SshTarget
from tests.lab.guard_lab import DOM0_ALIAS

_PACE_S = 0.5


def main() -> None:
    base, scheduler, number, uuid, ttl_s = sys.argv[1:]
    original = ("/usr/sbin/xl", f"sched-{scheduler}", "-d", NUMBER, "-w", "256", "-c", "0")
    shell = SshShell(SshTarget(DOM0_ALIAS))
    # The server's end of this connection: the parent of the shell that runs our commands.
    print(shell.run(["sh", "-c", "cut -d ' ' -f 4 /proc/$PPID/stat"], timeout_s=120.0).out, end="", flush=True)
    guard = Guard(shell, base)
    guard.arm(restore_lines([RestoreCommands(DOM0, (original,)), RestoreCommands(uuid, (original,))]), int(ttl_s), 3600)
    for count in itertools.count():
        domain = number if count % 2 else "0"
        try:
            guard.check()
            guard.run_under_lock(
                ["/usr/sbin/xl", f"sched-{scheduler}", "-d", domain, "-w", str(300 + count % 100), "-c", "0"]
            )
            print("changed", flush=True)
        except GuardFired as error:
            print(f"GuardFired {error.restored} {error}", flush=True)
            os._exit(1)
        except HostUnreachable as error:
            print(f"HostUnreachable {error}", flush=True)
        threading.Event().wait(_PACE_S)


if __name__ == "__main__":
    main()

"""What `domtune lab xen ...` answers with `--json`."""

import enum
from collections.abc import Mapping

import msgspec


class LabState(enum.StrEnum):
    """How a lab is."""

    DOWN = "down"  # nothing runs, nothing is left
    BUSY = "busy"  # another `domtune lab` builds, starts or ends it just now
    UP = "up"  # hypervisor, guest and database answer
    UNWELL = "unwell"  # the emulator runs, but something in it does not answer
    CRASHED = "crashed"  # the emulator has ended, or the hypervisor in it has


class LabDomain(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `xl list`; `cpu_s` is the CPU time used so far, seconds."""

    name: str
    domid: int
    vcpus: int
    state: str
    cpu_s: float


class LabStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `lab xen up`, `status` and `down`.

    Attributes:
        state: How it is.
        text: The same as a sentence; what does not answer, and why.
        hint: What to do about it; empty when nothing needs doing.
        scheduler: What the hypervisor itself says it schedules with; empty when it does not answer.
        uptime_s: Seconds since the emulator was started; 0 when it does not run.
        ports: On 127.0.0.1: `dom0` and `guest` (ssh), `postgresql`, with a second guest `guest-2` and `postgresql-2`;
            of the LXC lab `relay`, `postgresql`, `bare`.
        domains: As `xl list` has them.
        postgresql: True when the database answered a query just now.
        host_url: What DomTune calls it, once `ssh_config` is included in the user's own.
        database_url: The guest's database.
        second_database_url: The second guest's, where the Xen lab has one; else empty.
        base_url: The same server without a container, where one runs beside the LXC lab; else empty.
        ssh_config: File for `ssh -F`, with the key and the host keys; names in it: `domtune-xen`, `domtune-xen-guest`.
        console: What hypervisor and Dom0 print.
        images: Folder of the disk images.
        saved_state: Folder of the saved state that it went on from; empty when it was booted.
        stale: True when the recipe changed since the running images were built.
        pid: The emulator's; 0 when it does not run.
        took_s: Seconds by step; only after `up` and `down`.
    """

    state: LabState
    text: str
    hint: str = ""
    scheduler: str = ""
    uptime_s: float = 0.0
    ports: Mapping[str, int] = {}
    domains: tuple[LabDomain, ...] = ()
    postgresql: bool = False
    host_url: str = ""
    database_url: str = ""
    second_database_url: str = ""
    base_url: str = ""
    ssh_config: str = ""
    console: str = ""
    images: str = ""
    saved_state: str = ""
    stale: bool = False
    pid: int = 0
    took_s: Mapping[str, float] = {}

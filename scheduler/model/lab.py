"""Answers of `domtune lab xen ...` with `--json`."""

import enum
from collections.abc import Mapping

import msgspec


class LabState(enum.StrEnum):
    """State of a lab."""

    DOWN = "down"  # nothing runs, and no process is left
    BUSY = "busy"  # another `domtune lab` builds, starts or ends the lab just now
    UP = "up"  # hypervisor, guest and database answer
    UNWELL = "unwell"  # the emulator runs, but a part of the lab does not answer
    CRASHED = "crashed"  # the emulator or the hypervisor in it has ended


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
        state: State of the lab.
        text: The same as a sentence, with the part that does not answer and the reason.
        hint: Advice; empty for none.
        scheduler: Scheduler that the hypervisor reports; empty when it does not answer.
        uptime_s: Seconds since the start of the emulator; 0 when it does not run.
        ports: On 127.0.0.1: `dom0` and `guest` (ssh), `postgresql`, with a second guest `guest-2` and `postgresql-2`;
            of the LXC lab `relay`, `postgresql`, `bare`.
        domains: The domains that `xl list` shows.
        postgresql: True when the database answered a query just now.
        host_url: DomTune's URL of the lab, once `ssh_config` is included in the user's own.
        database_url: URL of the guest's database.
        second_database_url: URL of the second guest's database, where the Xen lab has one; else empty.
        base_url: URL of the same server without a container, where one runs next to the LXC lab; else empty.
        ssh_config: File for `ssh -F`, with the key and the host keys; names in it: `domtune-xen`, `domtune-xen-guest`.
        console: File with the output of hypervisor and Dom0.
        images: Folder of the disk images.
        saved_state: Folder of the saved state that the lab resumed from; empty when it was booted.
        stale: True when the recipe changed since the running images were built.
        pid: Process id of the emulator; 0 when it does not run.
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

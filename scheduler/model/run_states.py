"""Where a run is, how it ended, and what a visit settles from."""

import enum


class RunState(enum.StrEnum):
    """Where a run is; the host may differ from its original only in RUNNING and RESTORING."""

    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    RESTORING = "restoring"
    CLOSED = "closed"


class RunOutcome(enum.StrEnum):
    """How a run ended."""

    COMPLETED = "completed"
    ABORTED = "aborted"
    FAILED = "failed"


class SettlingCause(enum.StrEnum):
    """What a visit settles from; NONE for the first, for one after a pause, and for one measured again."""

    NONE = ""
    SPLIT = "split"
    LOAD = "load"
    USERS = "users"
    VCPUS = "vcpus"
    COLD = "cold"

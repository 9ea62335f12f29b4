"""What `domtune watch URL` answers: the split that suits a user's own load, from counters alone."""

import enum
from collections.abc import Mapping

import msgspec

from scheduler.model.bounded_json import decode_bounded
from scheduler.model.command_answers import ParameterChange
from scheduler.model.decision import DecisionKind
from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId


class WatchOutlook(enum.StrEnum):
    """What watching came to."""

    STATIC = "static"  # one split does; following would gain under 2 % over it
    LITTLE = "little"  # following would gain 2 to 5 %
    TRIAL = "trial"  # more: following is worth a trial
    NOTHING = "nothing"  # weights, or limits, which decided nothing
    BLIND = "blind"  # both domains took all that they might: what they need cannot be told
    SPINNING = "spinning"  # the I/O domain's CPU use does not follow the load: it may not be need
    IDLE = "idle"  # next to no CPU was used
    UNKNOWN = "unknown"  # too little was seen


class TimetableRow(msgspec.Struct, frozen=True, kw_only=True):
    """One stretch of the day.

    Attributes:
        begins: `HH:MM`, local time of the computer that watched; it ends where the next row begins.
        split: The split that suits it.
    """

    begins: str
    split: str


class WatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `watch URL`; every gain is an estimate.

    Attributes:
        host: The host's URL.
        title: What it is.
        simulated: True when nothing of this was seen on a machine.
        watched_s: How long, seconds.
        windows: Windows of 10 s that were used.
        dropped: Windows whose counters could not be believed, or that held a change of the split.
        mode: `partition` where limits are set, `share` where weights are; empty when nothing was seen.
        present: The split that was set at the end.
        outlook: What it came to.
        decision: Decision about setting `split`: `change` is an order; `stay`, `not_yet` and `unknown` are none.
        headline: Both as a sentence.
        reasons: What else a person should know before acting on it.
        split: The best static split for this load; empty where none can be named.
        split_low: From here to `split_high` every split gives as much within 2 %, by the same estimate; empty where
            that cannot be told.
        split_high: The one of them with the largest part for the I/O domain.
        gain_frac: What it would give over the splits that were set; 0.1 for 10 %. None where nothing can be told.
        gain_low_frac: Lower end of its interval, from stretches of 10 min and the error of the model; None with fewer
            than 30 minutes, or where nothing can be told.
        gain_high_frac: Upper end of it; None without one.
        following_gain_frac: What following the load would give over that; None likewise.
        changes: What would set it, nothing of which was written.
        params: The same as both domains' parameters, whole; empty where no split is named.
        facts: The host, where a split is named.
        timetable: Splits by time of day, where the day repeats and they gain; else empty.
        timetable_gain_frac: What they would give over the static split, tried on days that they were not made from.
        database_tps: Transactions that the user's database committed meanwhile, per second; None where none was named.
        ended: Why it ended before its time; empty when it did not.
        stopped: True when it was the user who ended it.
        error: What went wrong; empty when nothing did.
        hint: What to do about it.
    """

    host: str = ""
    title: str = ""
    simulated: bool = False
    watched_s: float = 0.0
    windows: int = 0
    dropped: int = 0
    mode: str = ""
    present: str = ""
    outlook: WatchOutlook = WatchOutlook.UNKNOWN
    decision: DecisionKind = DecisionKind.UNKNOWN
    headline: str = ""
    reasons: tuple[str, ...] = ()
    split: str = ""
    split_low: str = ""
    split_high: str = ""
    gain_frac: float | None = None
    gain_low_frac: float | None = None
    gain_high_frac: float | None = None
    following_gain_frac: float | None = None
    changes: tuple[ParameterChange, ...] = ()
    params: Mapping[DomainId, SchedParams] = {}
    facts: HostProperties | None = None
    timetable: tuple[TimetableRow, ...] = ()
    timetable_gain_frac: float | None = None
    database_tps: float | None = None
    ended: str = ""
    stopped: bool = False
    error: str = ""
    hint: str = ""

    @property
    def ordered_split(self) -> str:
        """Label of the split to set without a further word from the person; empty unless the decision is `change`."""
        return self.split if self.decision is DecisionKind.CHANGE else ""


class WatchStarted(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag="began"):
    """First line of `watch URL --json --windows`.

    Attributes:
        host: The host's URL.
        title: What it is.
        simulated: True when nothing of what follows happens on a machine.
        mode: `partition` where limits are set, `share` where weights are.
        present: The split that is set.
        cpus: Number of CPUs that both domains contend for.
        for_s: How long it is to take, seconds.
        database: True when transactions of a database are counted.
    """

    host: str
    title: str
    simulated: bool
    mode: str
    present: str
    cpus: int
    for_s: float
    database: bool = False


class WatchWindow(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag="window"):
    """One window of 10 s.

    Attributes:
        watched_s: When it ended, seconds since watching began.
        io_cpus: CPU that the I/O domain received, 1.0 for one CPU; None where the window cannot be used.
        guest_cpus: Likewise the guest.
        io_allowed_cpus: What the I/O domain may use; by weights, what it may insist on.
        guest_allowed_cpus: Likewise the guest.
        others_frac: Part of the contended CPUs that others used; None where the host does not tell.
        rate_tps: Commits of the user's database per second; None where they are not known.
        trouble: Why the window cannot be used; empty when it can.
        headline: What watching would come to by now, told after the first minute and then ever more rarely; else empty.
        split: The split that it would name; empty where it would name none, and without a headline.
        decision: Decision about setting `split` by now; only `change` is an order.
    """

    watched_s: float
    io_cpus: float | None
    guest_cpus: float | None
    io_allowed_cpus: float
    guest_allowed_cpus: float
    others_frac: float | None = None
    rate_tps: float | None = None
    trouble: str = ""
    headline: str = ""
    split: str = ""
    decision: DecisionKind = DecisionKind.UNKNOWN

    @property
    def ordered_split(self) -> str:
        """Label of the split that the decision orders by now; empty unless it is `change`."""
        return self.split if self.decision is DecisionKind.CHANGE else ""


class _LineTag(msgspec.Struct, frozen=True):
    kind: str = msgspec.field(name="$", default="")


_HEAD = msgspec.json.Decoder(_LineTag)
_LINES = msgspec.json.Decoder(WatchStarted | WatchWindow)
_ANSWER = msgspec.json.Decoder(WatchResult)


def decode_watch_line(line: bytes) -> WatchStarted | WatchWindow | WatchResult:
    """Read one line of `watch URL --json --windows`; the last one is the answer. Raises msgspec.MsgspecError."""
    return decode_bounded(_LINES, line) if decode_bounded(_HEAD, line).kind else decode_bounded(_ANSWER, line)

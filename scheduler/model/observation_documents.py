"""Lines that `domtune watch URL` and `domtune follow URL` print: one family, read by `decode_observation_line`.

Watching reads counters and answers with the split that suits the user's own load. Following prints a line for each
window, move, hold and comparison period, and one at its end.
"""

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
        mode: `caps` where limits are set, `weights` where weights are; empty when nothing was seen.
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
        mode: `caps` where limits are set, `weights` where weights are.
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
    def t_s(self) -> float:
        """When it ended, as the windows of following have it."""
        return self.watched_s

    @property
    def ordered_split(self) -> str:
        """Label of the split that the decision orders by now; empty unless it is `change`."""
        return self.split if self.decision is DecisionKind.CHANGE else ""


class FollowEnd(enum.StrEnum):
    """Why following ended."""

    TIME = "time"  # the time that it was given is over
    USER = "user"
    EVIDENCE = "evidence"  # it was measured to bring less than the static split
    HOST = "host"  # something happened there: another program's value, a domain that is gone, no counters
    FAILED = "failed"  # something of ours did not do what it should
    DECLINED = "declined"  # the question was answered with no: nothing was written


class FollowStarted(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag="follow_began"):
    """First line.

    Attributes:
        host: The host's URL.
        host_id: Its identity, as `restore --only` takes it.
        title: What it is.
        simulated: True when nothing of what follows happens on a machine.
        mode: `caps` where limits are followed, `weights` where weights are.
        cpus: Number of CPUs that both domains contend for.
        found: The split that was found.
        io_found: What the I/O domain was found with, and gets back.
        guest_found: Likewise the guest.
        static: The split that following is compared with.
        range_low: The split with the least for the I/O domain that may be set.
        range_high: That with the most.
        for_s: How long it is to take, seconds.
        account_pct: How much of the time is accounted for: 50, 10 or 0.
        seed: What the order of the arms is drawn from.
        database: True when transactions of a database are counted.
        guarded_by: `guard` on the host, `keeper` on this computer, or `process` where the host ends with this process.
        worst: The worst split of the range for the load of the moment.
        worst_frac: What that would do of what was done, an estimate; None where it cannot be told.
        warnings: What a person should know before agreeing, sentences.
    """

    host: str
    host_id: str
    title: str
    simulated: bool
    mode: str
    cpus: int
    found: str
    io_found: str
    guest_found: str
    static: str
    range_low: str
    range_high: str
    for_s: float
    account_pct: int
    seed: int
    database: bool
    guarded_by: str
    worst: str
    worst_frac: float | None
    warnings: tuple[str, ...] = ()


class FollowWindow(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag="follow_window"):
    """One window of 10 s.

    Attributes:
        t_s: When it ended, seconds since following began.
        arm: `following`, `static` or `found`: whose turn it was.
        split: The split that was set.
        wish: Where the rule points; empty where it does not.
        promise: Gain that the rule promises for that, a ratio minus 1, an estimate; None where none is.
        io_cpus: CPU that the I/O domain received, 1.0 for one CPU; None where the window cannot be used.
        guest_cpus: Likewise the guest.
        io_allowed_cpus: What the I/O domain may use; by weights, what it may insist on.
        guest_allowed_cpus: Likewise the guest.
        others_frac: Part of the contended CPUs that others used; None where the host does not tell.
        rate_tps: Commits of the database per second; None where they are not counted.
        trouble: Why the window cannot be used; empty when it can.
    """

    t_s: float
    arm: str
    split: str
    wish: str = ""
    promise: float | None = None
    io_cpus: float | None = None
    guest_cpus: float | None = None
    io_allowed_cpus: float
    guest_allowed_cpus: float
    others_frac: float | None = None
    rate_tps: float | None = None
    trouble: str = ""


class FollowMove(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag="follow_move"):
    """Another split was set, and read back.

    Attributes:
        t_s: When, seconds since following began.
        arm: For whose turn.
        before: The split until then.
        after: The split from then on.
        text: Why, sentences for people.
        promise: Gain that was promised, a ratio minus 1, an estimate; None for a change of turns, and under weights.
        io_used_frac: What the I/O domain used of what it might; None for a change of turns.
        guest_used_frac: Likewise the guest.
        cost_ratio: What a transaction cost the I/O domain, of what it cost the guest; None likewise.
    """

    t_s: float
    arm: str
    before: str
    after: str
    text: str
    promise: float | None = None
    io_used_frac: float | None = None
    guest_used_frac: float | None = None
    cost_ratio: float | None = None


class FollowAudit(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag="follow_audit"):
    """What a move promised beside what the rate did: a hint, since a load that changed is in it, too.

    Attributes:
        t_s: When enough was seen, seconds since following began.
        moved_s: When the move was made, on the same clock: that of its line.
        promise: Gain that was promised, a ratio minus 1, an estimate.
        seen: Rate of up to six windows after it over that of up to six before it, a ratio minus 1.
    """

    t_s: float
    moved_s: float
    promise: float
    seen: float


class FollowHold(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag="follow_hold"):
    """From now on nothing is changed, and why; told when the reason changes.

    Attributes:
        t_s: When it began, seconds since following began.
        reason: `gathering`, `idle`, `blind`, `free`, `near`, `little`, `once`, `calm`, `turn` or `missing`.
        text: The same for people.
        until_s: When it ends by itself, on the same clock; None where that is not known.
    """

    t_s: float
    reason: str
    text: str
    until_s: float | None = None


class FollowGain(msgspec.Struct, frozen=True, kw_only=True):
    """Following over another arm, measured.

    Attributes:
        over: `static` or `found`.
        gain_frac: Of throughput; 0.02 for 2 %.
        low_frac: Lower end of the interval; None with fewer than three blocks.
        high_frac: Upper end; None likewise.
        blocks: How many blocks it is made of.
        verdict: `better`, `worse`, `alike` or `open`: of the rate; of the time where `slack` is true and that is known.
        planned: True for a planned look; else it is what is seen so far, and decides nothing.
        slack: True when neither domain was near its limit most of the time: the rate is the clients', whatever is set.
        time_frac: What a transaction takes, time in statements per commit, likewise; under 0 is faster. None where the
            database does not tell.
        time_low_frac: Lower end of its interval; None with fewer than three blocks.
        time_high_frac: Upper end; None likewise.
        time_blocks: How many blocks that is made of.
    """

    over: str
    gain_frac: float
    low_frac: float | None
    high_frac: float | None
    blocks: int
    verdict: str
    planned: bool
    slack: bool = False
    time_frac: float | None = None
    time_low_frac: float | None = None
    time_high_frac: float | None = None
    time_blocks: int = 0

    @property
    def is_of_time(self) -> bool:
        """True when the time per transaction is what is judged, since the rate is the clients'."""
        return self.slack and self.time_frac is not None

    @property
    def judged(self) -> tuple[float, float | None, float | None]:
        """Judged ratio minus 1, of the time or of the rate, and both ends of its interval."""
        if self.time_frac is not None and self.slack:
            return self.time_frac, self.time_low_frac, self.time_high_frac
        return self.gain_frac, self.low_frac, self.high_frac


class FollowPeriod(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag="follow_epoch"):
    """An epoch of a block ended.

    Attributes:
        t_s: When, seconds since following began.
        began_s: When it began.
        arm: Whose turn it was.
        block: Number of its block.
        rate_tps: Commits per second after its first minute; None where they were not counted.
        transaction_ms: Time in statements per commit meanwhile; None where the database does not tell.
        gains: What following has brought so far.
    """

    t_s: float
    began_s: float
    arm: str
    block: int
    rate_tps: float | None
    transaction_ms: float | None = None
    gains: tuple[FollowGain, ...] = ()


class FollowDone(msgspec.Struct, frozen=True, kw_only=True, tag_field="$", tag="follow_done"):
    """Last line.

    Attributes:
        host: The host's URL.
        t_s: How long it was followed, seconds; 0 when it was not begun.
        end: Why it ended.
        reason: The same for people.
        restored: True when every domain reads as it was found.
        busy: True when another process holds the host: nothing was touched.
        moves: How often another split was set, changes of turns aside.
        hold_frac: Part of the time in which the rule would not move.
        gains: What following has brought.
        audited: How many moves could be looked at afterwards.
        audit_slope: How much of what they promised was seen, of ln(rate), 1 for all; None of fewer than three. A hint.
        remarks: What else a person should know, sentences.
        error: What went wrong; empty when nothing did.
        hint: What to do about it.
    """

    host: str = ""
    t_s: float = 0.0
    end: FollowEnd = FollowEnd.FAILED
    reason: str = ""
    restored: bool = True
    busy: bool = False
    moves: int = 0
    hold_frac: float = 0.0
    gains: tuple[FollowGain, ...] = ()
    audited: int = 0
    audit_slope: float | None = None
    remarks: tuple[str, ...] = ()
    error: str = ""
    hint: str = ""


class FollowedHost(msgspec.Struct, frozen=True, kw_only=True):
    """One host that a process of this account follows.

    Attributes:
        host: The host's URL; empty where it is not known.
        host_id: Its identity, as `follow --stop` takes it.
        pid: The process.
        changed_unix_s: When its undo record was written, seconds since 1970; 0 where nothing was set yet.
        split: The split that was set when it was told last; empty where that is not known here.
        left_s: How long it is still to take, seconds; None likewise.
        lines: The file with its lines; empty where it prints them elsewhere.
    """

    host: str
    host_id: str
    pid: int
    changed_unix_s: float
    split: str
    left_s: float | None
    lines: str


class FollowedHosts(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `follow --list`.

    Attributes:
        hosts: Each.
    """

    hosts: tuple[FollowedHost, ...]


FollowLine = FollowStarted | FollowWindow | FollowMove | FollowAudit | FollowHold | FollowPeriod | FollowDone
WatchLine = WatchStarted | WatchWindow | WatchResult
ObservationLine = WatchLine | FollowLine


class _LineTag(msgspec.Struct, frozen=True):
    kind: str = msgspec.field(name="$", default="")


_TAG_DECODER = msgspec.json.Decoder(_LineTag)
_LINE_DECODER = msgspec.json.Decoder(WatchStarted | WatchWindow | FollowLine)
_ANSWER_DECODER = msgspec.json.Decoder(WatchResult)


def decode_observation_line(line: bytes | str) -> ObservationLine:
    """Read one line of `watch --json --windows` or `follow --json`; the answer of `watch` has no tag.

    Raises:
        msgspec.MsgspecError: It is no such line.
    """
    tagged = decode_bounded(_TAG_DECODER, line).kind
    return decode_bounded(_LINE_DECODER if tagged else _ANSWER_DECODER, line)

"""Lines of an observation: output of `domtune watch` and `domtune follow`.

Both print a first line, a line for each window of 10 s, and a last line. Following also prints a line for each move,
hold and comparison period. `decode_observation_line` reads all of them.
"""

import enum
from collections.abc import Mapping

import msgspec

from scheduler.errors import SchedulerError
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.command_answers import ParameterChange
from scheduler.model.decision import DecisionKind
from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId, Mode, Split


class _ObservationLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="$"):
    t_s: float = 0.0


class ObservationStarted(_ObservationLine, frozen=True, kw_only=True, tag="observation_started"):
    """First line of an observation; `FollowStarted` adds the terms of following.

    Attributes:
        t_s: 0, the start of the clock of all lines, seconds.
        host: The host's URL.
        host_id: Its identity, as `restore --only` expects it.
        title: The host in one line.
        simulated: True when no figure is measured, and no change is made, on a machine.
        mode: `caps` where limits are set, `weights` where weights are.
        cpus: Number of CPUs that both domains share.
        split: Split that is set at the start; following restores it at the end.
        for_s: Planned duration, seconds.
        database: True when transactions of a database are counted.
        wall_unix_s: Clock time of `t_s` = 0 in a stored observation, seconds since 1970; 0 in a printed line.
    """

    host: str
    host_id: str
    title: str
    simulated: bool
    mode: Mode
    cpus: int
    split: Split
    for_s: float
    database: bool = False
    wall_unix_s: float = 0.0


class ObservationWindow(_ObservationLine, frozen=True, kw_only=True, tag="observation_window"):
    """One window of 10 s.

    Attributes:
        t_s: End of the window, seconds since the start of the observation.
        split: Split that was set.
        io_cpus: CPU used by the I/O domain, 1.0 for one CPU; None where the window is unusable.
        guest_cpus: CPU used by the guest, 1.0 for one CPU; None where the window is unusable.
        io_allowed_cpus: CPU allotted to the I/O domain; with weights, its guaranteed share.
        guest_allowed_cpus: CPU allotted to the guest; with weights, its guaranteed share.
        others_frac: Fraction of the shared CPUs that other programs used, 0..1; None where the host does not report it.
        rate_tps: Commits of the user's database per second; None where they are not counted.
        trouble: Reason why the window is unusable; empty when it is usable.
        wish: Target split of following, or split of an interim result of watching; None for none.
        predicted_gain: Gain of the target split, a ratio minus 1, an estimate; None for none, and while watching.
        arm: Variant of the window: `following`, `static` or `found`; empty while watching.
        headline: Interim result of watching, from the first minute on at growing intervals; else empty.
        decision: Interim decision about setting `wish`; only `change` asks for a change.
    """

    split: Split
    io_cpus: float | None = None
    guest_cpus: float | None = None
    io_allowed_cpus: float
    guest_allowed_cpus: float
    others_frac: float | None = None
    rate_tps: float | None = None
    trouble: str = ""
    wish: Split | None = None
    predicted_gain: float | None = None
    arm: str = ""
    headline: str = ""
    decision: DecisionKind = DecisionKind.UNKNOWN

    @property
    def ordered_split(self) -> Split | None:
        """Split that the interim decision sets; None unless `change`."""
        return self.wish if self.decision is DecisionKind.CHANGE else None


class WatchOutlook(enum.StrEnum):
    """Result of watching."""

    STATIC = "static"  # one split is enough; following would gain less than 2 % over it
    LITTLE = "little"  # following would gain 2 to 5 %
    TRIAL = "trial"  # following would gain more than 5 % and is worth a trial
    NOTHING = "nothing"  # weights or limits without effect
    BLIND = "blind"  # both domains were saturated, so their need is unknown
    SPINNING = "spinning"  # CPU used by the I/O domain does not follow the load, so it may not be needed
    IDLE = "idle"  # almost no CPU was used
    UNKNOWN = "unknown"  # too few usable windows


class TimetableRow(msgspec.Struct, frozen=True, kw_only=True):
    """One period of the day.

    Attributes:
        begins: `HH:MM`, local time of the computer that watched; the period ends where the next row begins.
        split: Split that suits the period.
    """

    begins: str
    split: Split


class WatchResult(_ObservationLine, frozen=True, kw_only=True, tag="watch_done"):
    """Last line of `watch`; every gain is an estimate.

    Attributes:
        t_s: Duration, seconds.
        host: The host's URL.
        title: The host in one line.
        simulated: True when no figure was measured on a machine.
        windows: Number of usable windows of 10 s.
        dropped: Number of windows with implausible counters, or with a change of the split.
        mode: `caps` where limits are set, `weights` where weights are; empty when nothing was measured.
        present: Split that was set at the end; None where nothing was read.
        outlook: Result of watching.
        decision: Decision about setting `split`: only `change` asks for a change.
        headline: Result and decision as a sentence.
        reasons: Further sentences that a person should know before a change.
        split: The best static split for this load; None where none can be named.
        split_low: First of the splits that give as much as `split` within 2 %, by the same estimate; None where
            unknown.
        split_high: Last of these splits, with the largest share for the I/O domain.
        gain_frac: Gain of `split` over the splits that were set; 0.1 for 10 %. None where unknown.
        gain_low_frac: Lower end of its interval, from periods of 10 min and the error of the model; None with fewer
            than 30 minutes, or where unknown.
        gain_high_frac: Upper end of the interval; None without one.
        following_gain_frac: Gain of following the load over `split`; None where unknown.
        changes: Changes that would set `split`; none of them was written.
        params: Complete parameters of both domains for `split`; empty where no split is named.
        facts: The host properties, where a split is named.
        timetable: Splits by time of day, where the load repeats daily and the timetable gains; else empty.
        timetable_gain_frac: Gain of the timetable over the static split, tested on days other than those it was made
            from.
        database_tps: Transactions that the user's database committed in that time, per second; None without a database.
        ended: Reason why watching ended early; empty when it did not.
        stopped: True when the user ended it.
        error: Description of the failure; empty for none.
        hint: Advice; may be empty.
    """

    host: str = ""
    title: str = ""
    simulated: bool = False
    windows: int = 0
    dropped: int = 0
    mode: str = ""
    present: Split | None = None
    outlook: WatchOutlook = WatchOutlook.UNKNOWN
    decision: DecisionKind = DecisionKind.UNKNOWN
    headline: str = ""
    reasons: tuple[str, ...] = ()
    split: Split | None = None
    split_low: Split | None = None
    split_high: Split | None = None
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
    def ordered_split(self) -> Split | None:
        """Split to set without a further confirmation; None unless `change`."""
        return self.split if self.decision is DecisionKind.CHANGE else None


class FollowEnd(enum.StrEnum):
    """Reason for the end of following."""

    TIME = "time"  # the planned time is over
    USER = "user"
    EVIDENCE = "evidence"  # following was measured to be worse than the static split
    HOST = "host"  # an event on the host: another program's value, a missing domain, no counters
    FAILED = "failed"  # an error of DomTune itself
    DECLINED = "declined"  # the person answered no, and nothing was written


class FollowStarted(ObservationStarted, frozen=True, kw_only=True, tag="follow_started"):
    """First line of `follow`: an observation, and the terms that the user agrees to.

    Attributes:
        io_found: Original settings of the I/O domain, which are restored at the end.
        guest_found: Original settings of the guest, which are restored at the end.
        static: The split that following is compared with.
        range_low: Split with the smallest share for the I/O domain that may be set.
        range_high: Split with the largest share for the I/O domain that may be set.
        account_pct: 50: every period is counted. 10: a tenth of the time is not following. 0: no period is counted.
        seed: Seed of the order of the variants.
        guarded_by: `guard` on the host, `local_guard` on this computer, or `process` where the host ends
            with this process.
        worst: The worst split of the range for the present load.
        worst_frac: Throughput of that split over the present throughput, an estimate; None where unknown.
        warnings: Sentences that a person should know before agreeing.
    """

    io_found: str
    guest_found: str
    static: Split
    range_low: Split
    range_high: Split
    account_pct: int
    seed: int
    guarded_by: str
    worst: Split
    worst_frac: float | None
    warnings: tuple[str, ...] = ()


class FollowMove(_ObservationLine, frozen=True, kw_only=True, tag="follow_move"):
    """Change to another split, which was set and read back.

    Attributes:
        t_s: Time of the change, seconds since the start of following.
        arm: Variant that the change belongs to.
        before: Split before the change.
        after: Split after the change.
        text: Reason as sentences for people.
        predicted_gain: A ratio minus 1, an estimate; None for a change of the variant, and with weights.
        io_used_frac: CPU used by the I/O domain over CPU allotted; None for a change of the variant.
        guest_used_frac: CPU used by the guest over CPU allotted; None for a change of the variant.
        cost_ratio: CPU per transaction of the I/O domain over that of the guest; None for a change of the variant.
    """

    arm: str
    before: Split
    after: Split
    text: str
    predicted_gain: float | None = None
    io_used_frac: float | None = None
    guest_used_frac: float | None = None
    cost_ratio: float | None = None


class FollowAudit(_ObservationLine, frozen=True, kw_only=True, tag="follow_audit"):
    """Predicted gain of a move and the change of the rate after it.

    A hint only, because the load may have changed as well.

    Attributes:
        t_s: Time at which enough windows were complete, seconds since the start of following.
        moved_s: Time of the move on the same clock, as in its line.
        predicted_gain: Predicted gain, a ratio minus 1, an estimate.
        seen: Rate of up to six windows after the move over that of up to six before it, a ratio minus 1.
    """

    moved_s: float
    predicted_gain: float
    seen: float


class FollowHold(_ObservationLine, frozen=True, kw_only=True, tag="follow_hold"):
    """Start of a hold without changes, with its reason.

    A line is printed when the reason changes.

    Attributes:
        t_s: Start of the hold, seconds since the start of following.
        reason: `gathering`, `idle`, `blind`, `free`, `near`, `little`, `once`, `calm`, `turn` or `missing`.
        text: The reason for people.
        until_s: End of the hold on the same clock; None where unknown.
    """

    reason: str
    text: str
    until_s: float | None = None


class FollowGain(msgspec.Struct, frozen=True, kw_only=True):
    """Measured gain of following over another variant.

    Attributes:
        over: `static` or `found`.
        gain_frac: Gain of throughput; 0.02 for 2 %.
        low_frac: Lower end of the interval; None with fewer than three blocks.
        high_frac: Upper end of the interval; None with fewer than three blocks.
        blocks: Number of blocks.
        verdict: `better`, `worse`, `alike` or `open`, of the rate; of the time per transaction where `slack` is True
            and that time is known.
        planned: True for a planned interim analysis; else the figures are provisional and decide nothing.
        slack: True when neither domain was near its limit most of the time: the clients then limit the rate.
        time_frac: Relative change of the time per transaction (time in statements per commit); negative for faster.
            None where the database does not report it.
        time_low_frac: Lower end of its interval; None with fewer than three blocks.
        time_high_frac: Upper end of its interval; None with fewer than three blocks.
        time_blocks: Number of blocks of that time.
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
        """True when the verdict is about the time per transaction, not about the rate."""
        return self.slack and self.time_frac is not None

    @property
    def judged(self) -> tuple[float, float | None, float | None]:
        """Judged ratio minus 1, of the time or the rate, and the ends of its interval."""
        if self.time_frac is not None and self.slack:
            return self.time_frac, self.time_low_frac, self.time_high_frac
        return self.gain_frac, self.low_frac, self.high_frac


class FollowPeriod(_ObservationLine, frozen=True, kw_only=True, tag="follow_period"):
    """End of a comparison period.

    Attributes:
        t_s: End of the period, seconds since the start of following.
        began_s: Start of the period on the same clock.
        arm: Variant of the period.
        block: Number of its block.
        rate_tps: Commits per second after its first minute; None where they were not counted.
        transaction_ms: Time in statements per commit in the period, ms; None where the database does not report it.
        gains: Measured gains of following so far.
    """

    began_s: float
    arm: str
    block: int
    rate_tps: float | None
    transaction_ms: float | None = None
    gains: tuple[FollowGain, ...] = ()


class FollowDone(_ObservationLine, frozen=True, kw_only=True, tag="follow_done"):
    """Last line of `follow`.

    Attributes:
        host: The host's URL.
        t_s: Duration of following, seconds; 0 when it did not start.
        end: Reason for the end.
        reason: The reason for people.
        restored: True when every domain is restored and verified.
        busy: True when another process holds the host: nothing was changed.
        moves: Number of changes to another split, without changes of the variant.
        hold_frac: Fraction of the time in holds, 0..1.
        gains: Measured gains of following.
        audited: Number of moves whose gain could be audited.
        audit_slope: Observed gain over predicted gain of these moves, of ln(rate), 1 for equal; None with fewer than
            three moves. A hint.
        remarks: Further sentences that a person should know.
        error: Description of the failure; empty for none.
        hint: Advice; may be empty.
    """

    host: str = ""
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
    """Host that a process of this account follows.

    Attributes:
        host: The host's URL; empty where unknown.
        host_id: Its identity, as `follow --stop` expects it.
        pid: Process id.
        changed_unix_s: Time of writing its undo record, seconds since 1970; 0 where nothing was set yet.
        split: Split that is set now; None where unknown.
        left_s: Remaining planned duration, seconds; None where unknown.
        run: Id of the run that records its lines; empty where it is not recorded.
    """

    host: str
    host_id: str
    pid: int
    changed_unix_s: float
    split: Split | None
    left_s: float | None
    run: str


class FollowedHosts(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of `follow --list`.

    Attributes:
        hosts: The followed hosts.
    """

    hosts: tuple[FollowedHost, ...]


FollowLine = FollowStarted | ObservationWindow | FollowMove | FollowAudit | FollowHold | FollowPeriod | FollowDone
ObservationLine = ObservationStarted | WatchResult | FollowLine

_DECODER = msgspec.json.Decoder(ObservationLine)


def decode_observation_line(line: bytes | str) -> ObservationLine:
    """Decode one line of `watch --json --windows` or `follow --json`.

    Raises:
        msgspec.MsgspecError: The text is no such line.
    """
    try:
        return decode_bounded(_DECODER, line)
    except SchedulerError as error:  # values that today's rules refuse
        raise msgspec.ValidationError(str(error)) from error

"""What the studies beside the split study find; results carry one of these, tagged by study, always with a headline."""

import enum

import msgspec


class Room(enum.StrEnum):
    """How a knee compares with the users that have to be carried."""

    ROOM = "room"
    CONTRACT = "contract"  # so much room that less would do
    AT_THE_KNEE = "at the knee"
    EXPAND = "expand"
    UNKNOWN = "unknown"  # nobody said how many there are, or the range ends before that


class FoundKnee(msgspec.Struct, frozen=True, kw_only=True):
    """Where throughput stops rising, for one load at one split.

    N95 is the smallest number of users at which the mean throughput reaches 95 % of the highest in the studied range.

    Attributes:
        load: Load kind.
        unit: Unit of its rates.
        split: Label of the split; empty for the host as found.
        above: More users than this are needed, >= 0.
        most: So many are enough.
        open: The range may end before the knee: none is named, and none is extrapolated.
        tried: The most users that were tried.
        highest_tps: Throughput at the best number.
        highest_ci95_tps: Its 95 % interval.
        best_users: The number with the highest mean.
        crossing_users: N* = highest throughput / that of one user, and its 95 % interval: how many users a server that
            never waits would carry (Little's law); None where one user was not measured.
        falls_frac: How much less there is at the most users than at the best number, where that is certain; else 0.
        visits: Valid visits.
        below_text: What limits it before the knee, as a sentence; empty where that is not known.
        beyond_text: What limits it beyond, likewise.
        room: How it compares with the users that have to be carried.
    """

    load: str
    unit: str
    split: str = ""
    above: int
    most: int
    open: bool
    tried: int
    highest_tps: float
    highest_ci95_tps: tuple[float, float]
    best_users: int
    crossing_users: tuple[float, float, float] | None = None
    falls_frac: float = 0.0
    visits: int
    below_text: str = ""
    beyond_text: str = ""
    room: Room = Room.UNKNOWN


class CapacityFinding(msgspec.Struct, frozen=True, kw_only=True, tag_field="study", tag="capacity"):
    """How many users the host carries.

    Attributes:
        headline: The answer as one sentence.
        knees: One per load and split that could be told.
        demand_users: How many it has to carry; 0 where nobody says.
        reasons: Sentences of evidence, most important first.
        advice: What to do, as sentences; empty where nobody says how many users there are.
        limits: How far it holds.
    """

    headline: str
    knees: tuple[FoundKnee, ...] = ()
    demand_users: int = 0
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


Finding = CapacityFinding  # becomes a union with the next study

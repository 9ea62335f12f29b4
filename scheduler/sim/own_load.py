"""Own load of a simulated machine, for watching it: as its URL names it.

`sim:?load=osdb-ir&users=5&split=1:5` does one kind of work at one split. `load=bulk,compute&turn_s=1800` changes
between two every half hour. With `load=bulk,compute&day_s=86400` the mix of both follows the time of day.
"""

import math
from collections.abc import MutableMapping
from typing import NamedTuple, Self

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.load import USERS_RANGE
from scheduler.model.number_parsing import parse_whole_number
from scheduler.model.split import Split, parse_split
from scheduler.sim.demand_mix import NO_ADDED_LOAD, AddedLoad
from scheduler.sim.machine import Machine, QueueMachine
from scheduler.sim.simulated_machine import SimulatedMachine
from scheduler.translation import _

URL_KEYS = ("load", "users", "turn_s", "day_s", "split")
_WEEK_S = 7 * 86_400
_NUMBERS = {"users": USERS_RANGE, "turn_s": (10, _WEEK_S), "day_s": (600, _WEEK_S)}
_HINT = _("Write for example sim:?load=osdb-ir&users=5&split=1:5.")
_DAY = _("Write for example sim:?load=bulk,compute&day_s=86400&users=12&split=1:1&scheduler=rtds.")
_STEPS = 10  # a mix is taken to the tenth: each is simulated once at each split


class LoadMoment(NamedTuple):
    """Load of one moment: its kind, its closed-loop users, and their second kind."""

    kind: str
    users: int
    added: AddedLoad = NO_ADDED_LOAD


class OwnSimulatedLoad(msgspec.Struct):
    """Load that the machine runs by itself.

    Attributes:
        kinds: Kinds of load, each for `turn_s`, in turn.
        users: Closed-loop users.
        turn_s: Duration of each kind.
        day_s: Length of a day; 0 for none. A day begins at midnight with the first of two kinds alone and half of the
            users. At noon there are the second kind alone and all users, and in between a mix of both.
        split: The split that is set meanwhile; None for the original settings.
        done: Operations that it has done so far.
        active_s: Sum of its users' waiting times, seconds: all of the time, since none of them pauses.
    """

    kinds: tuple[str, ...] = ()
    users: int = 5
    turn_s: int = 3600
    day_s: int = 0
    split: Split | None = None
    done: int = 0
    active_s: float = 0.0
    _does: LoadMoment | None = None

    @classmethod
    def take_from_query(cls, asked: MutableMapping[str, str]) -> Self:
        """Take its parameters out of a URL's query; raises SpecError."""
        given = {word: asked.pop(word) for word in URL_KEYS if word in asked}
        own = cls(kinds=tuple(kind for kind in given.get("load", "").split(",") if kind))
        for field, limits in _NUMBERS.items():
            if field in given:
                number = parse_whole_number(given[field])
                if number is None:
                    raise SpecError(
                        f"host.{field}", _("{given!r} is not a whole number").format(given=given[field]), hint=_HINT
                    )
                check_range(f"host.{field}", number, limits)
                setattr(own, field, number)
        if own.day_s and "turn_s" in given:
            problem = _("turn_s has no effect with day_s, because the mix of a day changes gradually")
            raise SpecError("host.turn_s", problem, hint=_("Name turn_s or day_s."))
        if own.day_s and len(own.kinds) != 2:
            problem = _("a day goes from one load to another and back, and load names {count}").format(
                count=len(own.kinds)
            )
            raise SpecError("host.load", problem, hint=_DAY)
        if given.get("split"):
            own.split = parse_split(given["split"], "host.split")
        return own

    def refuse_unknown(self, machine: Machine) -> None:
        """Refuse a missing load, or one that the machine does not know; raises SpecError."""
        if not self.kinds:
            raise SpecError("host", _("a simulated host has no load unless its URL names one"), hint=_HINT)
        for kind in self.kinds:
            if kind not in machine.loads:
                hint = _("It knows: {loads}.").format(loads=", ".join(machine.loads))
                raise SpecError(
                    "host.load", _("the simulated machine does not know {kind}").format(kind=kind), hint=hint
                )
        if self.day_s and not isinstance(machine, QueueMachine):
            problem = _("a machine file with rates only cannot predict a mix of loads")
            hint = _("Set turn_s, or use a machine file of kind queue.")
            raise SpecError("host.day_s", problem, hint=hint)

    def at(self, lived_s: float) -> LoadMoment:
        """Return the load at a time after its start, seconds."""
        if not self.day_s:
            return LoadMoment(self.kinds[int(lived_s // self.turn_s) % len(self.kinds)], self.users)
        awake = 0.5 - 0.5 * math.cos(2 * math.pi * lived_s / self.day_s)
        tenths = round(_STEPS * awake)
        users = max(1, round(self.users * (0.5 + 0.5 * tenths / _STEPS)))
        return LoadMoment(self.kinds[0], users, AddedLoad(self.kinds[1], tenths / _STEPS))

    def turn(self, world: SimulatedMachine, lived_s: float) -> None:
        """Run the load of this moment.

        Args:
            world: The machine.
            lived_s: Seconds since the load's start.
        """
        moment, seconds = self.at(lived_s), world.seconds()
        self.done += sum(second.count for second in seconds)
        self.active_s += float(len(seconds)) * (self._does.users if self._does else 0)
        if self._does != moment:
            world.begin(moment.kind, moment.users, moment.added)
            self._does = moment

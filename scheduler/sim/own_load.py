"""The load that a simulated machine runs by itself, for who only watches: as its URL names it.

`sim:?load=osdb-ir&users=5&split=1:5` does one kind of work at one split; `load=osdb-ir,osdb-oltp&turn_s=3600` changes
between two every hour.
"""

from collections.abc import MutableMapping
from typing import Self

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import within
from scheduler.model.numbers import whole
from scheduler.model.spec import USERS_RANGE
from scheduler.model.split import Split, parse_split
from scheduler.sim.machine import Machine
from scheduler.sim.world import World

WORDS = ("load", "users", "turn_s", "split")
_TURN_S_RANGE = (10, 7 * 86_400)
_HINT = "Write for example sim:?load=osdb-ir&users=5&split=1:5."


class OwnLoad(msgspec.Struct):
    """What the machine does when nobody drives it.

    Attributes:
        kinds: Kinds of load, each for `turn_s`, then the next, round and round.
        users: Closed-loop users.
        turn_s: How long each kind goes on.
        split: The split that is set meanwhile; None for the machine as found.
        done: Operations that it has done so far.
        active_s: How long its users have waited for them together, seconds: all of the time, since none of them pauses.
    """

    kinds: tuple[str, ...] = ()
    users: int = 5
    turn_s: int = 3600
    split: Split | None = None
    done: int = 0
    active_s: float = 0.0
    _does: str = ""

    @classmethod
    def taken_from(cls, asked: MutableMapping[str, str]) -> Self:
        """Take its words out of a URL's query; raises SpecError."""
        given = {word: asked.pop(word) for word in WORDS if word in asked}
        own = cls(kinds=tuple(kind for kind in given.get("load", "").split(",") if kind))
        for field, limits in (("users", USERS_RANGE), ("turn_s", _TURN_S_RANGE)):
            if field in given:
                number = whole(given[field])
                if number is None:
                    raise SpecError(f"host.{field}", f"{given[field]!r} is not a whole number", hint=_HINT)
                within(f"host.{field}", number, limits)
                setattr(own, field, number)
        if given.get("split"):
            own.split = parse_split(given["split"], "host.split")
        return own

    def refuse_unknown(self, machine: Machine) -> None:
        """Refuse to live without a load, or by one that the machine does not know; raises SpecError."""
        if not self.kinds:
            raise SpecError("host", "a simulated machine does nothing unless its URL names a load", hint=_HINT)
        for kind in self.kinds:
            if kind not in machine.loads:
                hint = f"It knows: {', '.join(machine.loads)}."
                raise SpecError("host.load", f"the simulated machine does not know {kind}", hint=hint)

    def turn(self, world: World, lived_s: float) -> None:
        """Do the work of this moment."""
        kind = self.kinds[int(lived_s // self.turn_s) % len(self.kinds)]
        seconds = world.seconds()
        self.done += sum(second.count for second in seconds)
        self.active_s += self.users * float(len(seconds))
        if self._does != kind:
            world.begin(kind, self.users)
            self._does = kind

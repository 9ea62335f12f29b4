"""The place for a policy: what may change the setting within a visit, and within which bounds. No plan has one yet.

A policy is asked once a second and answers with a setting, or None to leave it. It is pure: what it answers follows
from the second alone, so that a run can be told beforehand and replayed. Whoever carries one out asks `Bounded`
instead, announces each change by a `SettingChanged` before it is written, and writes by the lease as for any visit.
"""

from typing import Protocol

import msgspec

from scheduler.errors import SpecError
from scheduler.model.checks import within
from scheduler.model.setting import Setting, label_of

LEAST_HOLD_S = 5
"""A change shorter than the seconds that throughput needs to follow it is no setting, but a disturbance. Chosen."""

MOST_CHANGES = 60
"""In one visit: each is a write to the host, with an undo record behind it. Chosen."""


class Policy(Protocol):
    """What changes the setting within a visit."""

    def decide(self, second: int) -> Setting | None:
        """Return the setting from a second of the visit on, None for the one in force; the same for the same second.

        Args:
            second: Whole seconds since the visit's setting was in force, from 0.
        """
        ...


class Bounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a policy may do in one visit.

    Attributes:
        settings: The settings that it may choose, all of the plan and so checked before anything is touched.
        hold_s: Seconds that a setting stays at least, from `LEAST_HOLD_S`.
        changes: Changes at most, 1..`MOST_CHANGES`.
    """

    settings: tuple[Setting, ...]
    hold_s: int = LEAST_HOLD_S
    changes: int = 10

    def __post_init__(self) -> None:
        """Refuse bounds that are none; raises SpecError."""
        if len(set(self.settings)) < 2:
            problem = f"{len(set(self.settings))} given, and a policy chooses between two at least"
            raise SpecError("policy.settings", problem, hint="Name those that it may choose.")
        within("policy.hold_s", self.hold_s, (LEAST_HOLD_S, 3_600))
        within("policy.changes", self.changes, (1, MOST_CHANGES))


class Bounded:
    """A policy that cannot leave its bounds: what it asks for beyond them does not happen, and is said.

    Args:
        policy: What decides.
        bounds: What it may do.
        setting: What is in force when the visit begins.

    Attributes:
        setting: What is in force now.
        changes: How often it was changed.
        refused: Why the latest answer was not followed; empty where it was.
    """

    def __init__(self, policy: Policy, bounds: Bounds, setting: Setting) -> None:
        self._policy = policy
        self._bounds = bounds
        self._since = 0
        self.setting = setting
        self.changes = 0
        self.refused = ""

    def decide(self, second: int) -> Setting | None:
        """Return the setting to change to in this second; None to leave the one in force."""
        wanted = self._policy.decide(second)
        self.refused = ""
        if wanted is None or wanted == self.setting:
            return None
        self.refused = self._obstacle(wanted, second)
        if self.refused:
            return None
        self.setting, self._since = wanted, second
        self.changes += 1
        return wanted

    def _obstacle(self, wanted: Setting, second: int) -> str:
        bounds = self._bounds
        if wanted not in bounds.settings:
            known = ", ".join(label_of(setting) for setting in bounds.settings)
            return f"{label_of(wanted)} is none of the settings that the policy may choose ({known})"
        if self.changes >= bounds.changes:
            return f"{self.changes} changes were made, the most in one trial"
        if second - self._since < bounds.hold_s:
            held = second - self._since
            return f"{label_of(self.setting)} was held for {held} s, and stays for {bounds.hold_s} s at least"
        return ""

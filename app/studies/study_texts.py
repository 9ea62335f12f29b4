"""What a study's package gives to the window; `registry` finds it by the study's name."""

from collections.abc import Mapping
from typing import Protocol

from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec


class HasStudyTexts(Protocol):
    """Module `words`: what the wizard says of the study in the places where it speaks of splits otherwise."""

    def splits_step(self) -> str:
        """Return the name of the step of splits, or of what is varied instead."""
        ...

    def splits_head(self) -> tuple[str, str]:
        """Return title and lead of the page of splits."""
        ...

    def loads_lead(self) -> str:
        """Return the lead of the page of loads."""
        ...

    def protocol_claims(self) -> Mapping[str, str]:
        """Return protocol to what it does and what may be claimed afterwards, for those that suit the study."""
        ...

    def settle_name(self) -> str:
        """Return the name of the field of what is cut after a change of the setting, with a mnemonic."""
        ...

    def repeats_name(self) -> str:
        """Return the name of the field of repeats, with a mnemonic."""
        ...

    def splits_answer(self, spec: RunSpec) -> str:
        """Return the one-line answer of the step of splits."""
        ...

    def loads_answer(self, spec: RunSpec) -> str:
        """Return the one-line answer of the step of loads: which ones, with how many users."""
        ...

    def users_words(self, words: str) -> str:
        """Return what a load's users do, from the words for the number that the plan has."""
        ...

    def loads_sentence(self, spec: RunSpec) -> str:
        """Return who does what where, as a sentence; empty where the loads run one at a time, as in a sweep."""
        ...

    def changes_sentences(self, spec: RunSpec, facts: HostProperties | None) -> str:
        """Return what changes on the host, as sentences; empty where that is at most how two domains share its CPU."""
        ...

    def measured_sentence(self, spec: RunSpec, facts: HostProperties | None) -> str:
        """Return the first sentence of the review: what is measured, on which host."""
        ...

    def setting_row(self, spec: RunSpec) -> tuple[str, str]:
        """Return name and text of the review's fact about the settings."""
        ...

    def goal_sentences(self, spec: RunSpec) -> str:
        """Return what is looked for, as sentences."""
        ...

    def trials_sentence(self, spec: RunSpec) -> str:
        """Return how often each setting is measured, and for how long."""
        ...

    def protocol_summary(self, spec: RunSpec, trials: str) -> str:
        """Return what the protocol comes to; `trials` says of how many trials it consists."""
        ...

"""Protocol for the wizard texts of a study, found by `text_registry`."""

from collections.abc import Mapping
from typing import Protocol

from scheduler.model.decision import SweepDecision
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.model.studies import StudyFinding


class HasStudyTexts(Protocol):
    """Module with the wizard texts of a study, where they differ from the split study."""

    def splits_step(self) -> str:
        """Return the name of the step for splits, or for the varied quantity instead."""
        ...

    def splits_head(self) -> tuple[str, str]:
        """Return title and lead of the splits page."""
        ...

    def loads_lead(self) -> str:
        """Return the lead of the loads page."""
        ...

    def protocol_claims(self) -> Mapping[str, str]:
        """Return each protocol of the study with its procedure and its claims."""
        ...

    def settle_name(self) -> str:
        """Return the name, with a mnemonic, of the field for the warm-up after a change."""
        ...

    def repeats_name(self) -> str:
        """Return the name, with a mnemonic, of the field for repeats."""
        ...

    def splits_answer(self, spec: RunSpec) -> str:
        """Return the rail's text for the splits step, in one line."""
        ...

    def loads_answer(self, spec: RunSpec) -> str:
        """Return the rail's text for the loads step, in one line: loads and users."""
        ...

    def users_words(self, words: str) -> str:
        """Return the text for a load's users, made from the text for their number."""
        ...

    def loads_sentence(self, spec: RunSpec) -> str:
        """Return the place of each load as a sentence; empty if loads run one at a time."""
        ...

    def changes_sentences(self, spec: RunSpec, facts: HostProperties | None) -> str:
        """Return the changes on the host as sentences.

        Empty if at most the CPU shares of two domains change.

        Args:
            spec: The plan.
            facts: The host; None while unknown.
        """
        ...

    def measured_sentence(self, spec: RunSpec, facts: HostProperties | None) -> str:
        """Return the review's first sentence: the measurement and its host.

        Args:
            spec: The plan.
            facts: The host; None while unknown.
        """
        ...

    def setting_row(self, spec: RunSpec) -> tuple[str, str]:
        """Return name and text of the review's row about the settings."""
        ...

    def goal_sentences(self, spec: RunSpec) -> str:
        """Return the goal of the study as sentences."""
        ...

    def trials_sentence(self, spec: RunSpec) -> str:
        """Return a sentence with the number and length of the trials per setting."""
        ...

    def protocol_summary(self, spec: RunSpec, trials: str) -> str:
        """Return a summary of the protocol.

        Args:
            spec: The plan.
            trials: Number of trials, as text.
        """
        ...

    def finding_words(self, finding: StudyFinding | SweepDecision) -> str:
        """Return the finding, or the decision to change, in a few words for Home."""
        ...

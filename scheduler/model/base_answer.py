"""Common parts of the answers of all studies.

Every page, list, report and command that shows an answer uses these parts.
"""

from typing import Self

import msgspec

from scheduler.model.decision import SplitRank, SweepDecision


class BaseAnswer(msgspec.Struct, frozen=True, kw_only=True, tag_field="study"):
    """Answer of a study as sentences; each study adds its own figures.

    Attributes:
        headline: The answer as one sentence.
        remark: Sentence that goes before all others, for example that nothing was measured; empty for none.
        reasons: Sentences of evidence, most important first.
        advice: Sentences on the consequences, or on what to do; may be empty.
        limits: Sentences on how far the answer holds.
    """

    headline: str = ""
    remark: str = ""
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()

    @property
    def limit_sentences(self) -> tuple[str, ...]:
        """The remark and the limits."""
        return (self.remark, *self.limits) if self.remark else self.limits


class BaseFinding(BaseAnswer, frozen=True, kw_only=True):
    """Answer of a study that recommends no split."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences in the order of reading: remark, advice, evidence, limits."""
        remark = (self.remark,) if self.remark else ()
        return (*remark, *self.advice, *self.reasons, *self.limits)

    @property
    def decision(self) -> SweepDecision:
        """The decision `unknown`, about no split."""
        return SweepDecision()

    @property
    def recommendation(self) -> None:
        """None: the study recommends no split."""
        return None

    def rank_of(self, setting: object) -> SplitRank:
        """Return the rank `other`: no split has a rank in the answer."""
        del setting
        return SplitRank.OTHER

    @property
    def finding(self) -> Self:
        """The answer itself."""
        return self

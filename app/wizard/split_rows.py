"""Meaning and encoding of each split of the form; no Qt here."""

from collections.abc import Iterable
from typing import NamedTuple

from scheduler.errors import SpecError
from scheduler.model.problems import Problems, describe_error
from scheduler.model.setting import SplitSetting, parse_split_setting
from scheduler.model.spec import Mode
from scheduler.shares.share_model import ShareModel, SplitEncoding


class SplitRow(NamedTuple):
    """One split of the form.

    Attributes:
        text: Typed text.
        setting: The split; None for a mistake.
        encoding: Parameters on the host; None while the host is unknown, or for a split that it cannot have.
        error: The mistake; None for none.
    """

    text: str
    setting: SplitSetting | None
    encoding: SplitEncoding | None
    error: SpecError | None

    @property
    def message(self) -> str:
        """The mistake as a sentence; empty for none."""
        return "" if self.error is None else describe_error(self.error)


def split_rows(texts: Iterable[str], model: ShareModel | None, mode: Mode, period_us: int) -> list[SplitRow]:
    """Return one row per typed split.

    Args:
        texts: Typed splits.
        model: Share model of the host; None while the host is unknown.
        mode: Caps or weights.
        period_us: Period of the quotas, microseconds.
    """
    return [_read_split_row(text, model, mode, period_us) for text in texts]


def _read_split_row(text: str, model: ShareModel | None, mode: Mode, period_us: int) -> SplitRow:
    problems = Problems()
    setting = problems.take(lambda: parse_split_setting(text), None, "split")
    encoding = None
    if setting and model:
        encoding = problems.take(lambda: model.encode(setting.split, mode, period_us), None, "split")
    return SplitRow(text, setting, encoding, problems.errors.get("split"))

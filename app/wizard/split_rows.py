"""What each split of the form means and becomes. No Qt here."""

from collections.abc import Iterable
from typing import NamedTuple

from app.wizard.input_parsing import FormReader
from scheduler.model.setting import SplitSetting, parse_split_setting
from scheduler.model.spec import Mode
from scheduler.shares.share_model import ShareModel, SplitEncoding


class SplitRow(NamedTuple):
    """One split of the form.

    Attributes:
        text: As typed.
        setting: What it means; None when it means nothing.
        encoding: What it becomes on the host; None while the host is unknown or when it cannot be set there.
        message: What is wrong with it; empty when nothing is.
    """

    text: str
    setting: SplitSetting | None
    encoding: SplitEncoding | None
    message: str


def split_rows(texts: Iterable[str], model: ShareModel | None, mode: Mode, period_us: int) -> list[SplitRow]:
    """Return one row per text; `model` is None while the host is unknown."""
    return [_read_split_row(text, model, mode, period_us) for text in texts]


def _read_split_row(text: str, model: ShareModel | None, mode: Mode, period_us: int) -> SplitRow:
    reader = FormReader()
    setting = reader.take("split", lambda: parse_split_setting(text), None)
    encoding = None
    if setting and model:
        encoding = reader.take("split", lambda: model.encode(setting.split, mode, period_us), None)
    return SplitRow(text, setting, encoding, reader.messages.get("split", ""))

"""Settings as tests write them."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from scheduler.model.setting import BASELINE, SplitSetting, label_of, parse_split_setting
from scheduler.model.studies import Setting


def split_at(text: str) -> SplitSetting:
    """Return the setting of a split `a:b`."""
    return parse_split_setting(text)


def setting_at(text: str) -> Setting | None:
    """Return the setting of a split `a:b`; None for `baseline`."""
    return None if text == BASELINE else parse_split_setting(text)


def splits_at(*texts: str) -> tuple[SplitSetting, ...]:
    """Return the settings of splits."""
    return tuple(map(parse_split_setting, texts))


def labels(settings: Iterable[Setting | None]) -> tuple[str, ...]:
    """Return the labels of settings."""
    return tuple(map(label_of, settings))


def json_label(row: Mapping[str, Any]) -> str:
    """Return the label of the setting of a point or an answer in JSON; empty for an answer without one."""
    setting = msgspec.convert(row["setting"], Setting | None)
    return "" if setting is None and "verdict" in row else label_of(setting)

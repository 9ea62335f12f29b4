"""How much of a volume is run: a few in `make test`, all of it in `make test-deep`, which sets DOMTUNE_DEEP."""

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")


def deep() -> bool:
    return bool(os.environ.get("DOMTUNE_DEEP"))


def times(few: int, many: int) -> int:
    """Say how often to repeat what one repetition already shows."""
    return many if deep() else few


def few(always: Sequence[Case], deep_only: Sequence[Case]) -> list[Case]:
    """Say which cases to try: one of each kind always, those between them in depth."""
    return [*always, *(deep_only if deep() else ())]

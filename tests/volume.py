"""How much of a volume is run: a few in `make test`, all of it in `make test-deep`, which sets DOMTUNE_DEEP."""

import os


def deep() -> bool:
    return bool(os.environ.get("DOMTUNE_DEEP"))


def times(few: int, many: int) -> int:
    """Say how often to repeat what one repetition already shows."""
    return many if deep() else few

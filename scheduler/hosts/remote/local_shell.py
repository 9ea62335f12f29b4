"""Commands on this computer."""

import os
from collections.abc import Sequence

from scheduler.hosts.remote.children import Children
from scheduler.hosts.remote.shell import TIMEOUT_S, Answer

_WHERE = "this computer"


class LocalShell:
    """This computer as a host where commands can be run."""

    def __init__(self) -> None:
        self._children = Children(_WHERE)

    @property
    def where(self) -> str:
        return _WHERE

    def run(self, argv: Sequence[str], *, timeout_s: float = TIMEOUT_S, stdin: str = "") -> Answer:
        return self._children.run(argv, timeout_s, stdin, {**os.environ, "LC_ALL": "C"})

    def close(self) -> None:
        self._children.end_all()

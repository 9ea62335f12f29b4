"""What a database's folder provides: servers, and the pool's own way into one; found by `registry`."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Server(Protocol):
    """A database server on this computer: one that we bring, or one that somebody else runs."""

    @property
    def ours(self) -> bool:
        """True for one that we bring: started, restarted and stopped by us; somebody else's is left alone."""
        ...

    @property
    def notices(self) -> Sequence[str]:
        """What `start` had to do that a person should know, one sentence each."""
        ...

    @property
    def title(self) -> str:
        """What people call it: product and version, or where it listens."""
        ...

    @property
    def address(self) -> tuple[str, int]:
        """Where the relay reaches it: address and port, or the path of its socket and 0."""
        ...

    @property
    def pid(self) -> int:
        """Process id of the process that starts the others; 0 when it does not run."""
        ...

    @property
    def password(self) -> str:
        """Of its user, for `url`; empty where it is the user's own affair."""
        ...

    def start(self) -> None:
        """Start it, or find it. Raises HostBusy, HostNotUsable, SpecError."""
        ...

    def stop(self) -> None:
        """Stop it where it is ours; bounded, never raises, may be called twice."""
        ...

    def trouble(self) -> str:
        """Return what its log says of an end that nobody asked for; empty where there was none, or it is not ours."""
        ...

    def url(self, address: tuple[str, int]) -> str:
        """Return the URL, without its password, by which it is reached at an address of the relay's."""
        ...


class Database(Protocol):
    """The pool's own way into one database: connected when first used, holding the right to use our tables there."""

    @property
    def params(self) -> Mapping[str, str]:
        """What a user's process connects with, the password among it."""
        ...

    def connection(self) -> Any:  # noqa: ANN401 - the driver's, which workloads know
        """Return a live connection in autocommit; raises DatabaseUnreachable."""
        ...

    def lock(self, number: int) -> None:
        """Keep other sweeps away from our tables of that size; raises DatabaseUnsuitable."""
        ...

    def versions(self) -> dict[str, str]:
        """Return versions and settings that matter; refuses what cannot be used. Raises DatabaseUnsuitable."""
        ...

    def translated(self, doing: str) -> contextlib.AbstractContextManager[None]:
        """Turn the driver's errors inside the block into ours, with what was being done for the message."""
        ...

    def close(self) -> None:
        """Disconnect; never raises."""
        ...

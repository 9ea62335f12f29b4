"""The part of distributed that DomTune uses (2026.8.0): queues as their blocking calls behave, clients as in a loop."""

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from distributed.security import Security

_T = TypeVar("_T")

class Future(Generic[_T]):
    status: str
    def done(self) -> bool: ...
    def exception(self) -> Awaitable[BaseException | None]: ...
    def cancel(self) -> Awaitable[None]: ...

class Queue(Generic[_T]):
    def __init__(self, name: str, client: Client) -> None: ...
    def get(self, timeout: float | None = ...) -> _T: ...
    def put(self, value: _T, timeout: float | None = ...) -> None: ...
    def close(self) -> None: ...

class _Scheduler:
    def identity(self, n_workers: int = ...) -> Awaitable[Mapping[str, Any]]: ...

class Client:
    scheduler: _Scheduler
    def __init__(
        self,
        address: str,
        *,
        timeout: float,
        security: Security | None,
        set_as_default: bool,
        name: str,
        asynchronous: bool,
    ) -> None: ...
    def __await__(self) -> Generator[Any, None, Client]: ...
    def submit(
        self,
        func: Callable[..., _T],
        *args: object,
        key: str,
        pure: bool,
        retries: int,
        workers: Sequence[str],
        allow_other_workers: bool,
    ) -> Future[_T]: ...
    def run(self, function: Callable[..., _T], *args: object, workers: Sequence[str]) -> Awaitable[dict[str, _T]]: ...
    def get_versions(self, check: bool = ...) -> Awaitable[Mapping[str, Any]]: ...

def get_client() -> Client: ...

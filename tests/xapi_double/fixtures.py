"""What tests need to stand a pool up; a conftest imports the fixtures."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scheduler.hosts.xapi.certificate_pins import accept_fingerprint, pins_path
from scheduler.hosts.xapi.xapi_session import XapiConnection, XapiSession
from scheduler.hosts.xapi.xapi_url import SECRET, USER, XapiAddress
from tests.xapi_double.certificates import Pair, make
from tests.xapi_double.pool import PASSWORD, Pool, small_pool
from tests.xapi_double.server import Member


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("certificates")
    return {
        "xcp1": make(folder, "xcp1"),
        "xcp2": make(folder, "xcp2"),
        "old": make(folder, "old", expired=True),
        "rsa": make(folder, "rsa", rsa=True),
    }


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    settle(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture
def pool():
    return small_pool()


@pytest.fixture
def member(home: Path, pool, pairs):
    with listening(pool, pairs["xcp1"]) as member:
        yield member


@pytest.fixture
def session(member):
    session = XapiSession(XapiAddress("127.0.0.1", member.port), "root", PASSWORD)
    yield session
    session.close()


@pytest.fixture
def line(session):
    line = XapiConnection(session)
    yield line
    line.close()


def settle(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Have a home, and the password of root."""
    patch.setenv("DOMTUNE_HOME", str(folder / "home"))
    patch.setenv(SECRET, PASSWORD)
    patch.delenv(USER, raising=False)


@contextmanager
def listening(pool: Pool, pair: Pair) -> Iterator[Member]:
    """Run a member of the pool whose certificate is accepted."""
    member = Member(pool, pair)
    accept_fingerprint(XapiAddress("127.0.0.1", member.port), pair.fingerprint)
    yield member
    member.stop()


def forget_pins() -> None:
    pins_path().unlink(missing_ok=True)


def until(condition: Callable[[], object], limit_s: float = 60.0) -> None:
    """Wait until something has happened."""
    end_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end_s, "it did not happen in time"
        threading.Event().wait(0.01)

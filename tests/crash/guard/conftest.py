"""What the tests of the guard share: a made-up toolstack, and a shell to it."""

import pytest

from scheduler.hosts.remote.guard import Guard
from scheduler.hosts.remote.local_shell import LocalShell
from tests.guard_world import TTL_S, made_world


@pytest.fixture(params=["dash", "busybox", "bash"])
def every_shell(request):
    """Repeats a test with each shell that hosts have as `sh`."""
    return request.param


@pytest.fixture
def shell_name(request):
    return request.getfixturevalue("every_shell") if "every_shell" in request.fixturenames else ""


@pytest.fixture
def world(shell_name, monkeypatch):
    with made_world(shell_name) as made:
        monkeypatch.setenv("PATH", made.environment["PATH"])
        yield made


@pytest.fixture
def shell():
    here = LocalShell()
    yield here
    here.close()


@pytest.fixture
def guards(world, shell):
    """Makes guards of this world; they stop beating at the end."""
    made = []

    def make(**settings):
        guard = Guard(shell, str(world.base), **settings)
        made.append(guard)
        return guard

    yield make
    for guard in made:
        guard.abandon()


@pytest.fixture
def armed(world, guards):
    guard = guards()
    guard.arm(world.lines(), TTL_S, 600)
    return guard

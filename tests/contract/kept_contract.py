"""The laws of hosts on one open host for many laws, where to connect, to look and to arm is most of the work."""

from collections.abc import Iterator, Sequence

import pytest

from scheduler.model.spec import PAPER_SPLITS
from tests.contract.host_contract import HostContract, Opened, Subject
from tests.volume import deep

# From one end to the other; what each split means is the share models' law, and theirs alone.
_FEW_SPLITS = ("10:1", "1:2", "1:1", "5:2", "1:5")


class Kept:
    """The open host, and when it is given back."""

    def __init__(self) -> None:
        self._opened: Opened | None = None

    def take(self, subject: Subject, splits: Sequence[str]) -> Opened:
        """Return the open host, as found; the next law's if the last one closed it."""
        if self._opened is None:
            self._opened = Opened(subject, splits)
        self._opened.command_log.clear()
        return self._opened

    def let_go(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()
            assert opened.snapshot() == opened.before


class KeptContract(HostContract):
    """Derive from it and define the fixture `subject`, of the class's scope."""

    splits = PAPER_SPLITS if deep() else _FEW_SPLITS

    @pytest.fixture(scope="class")
    @classmethod
    def kept(cls, subject: Subject) -> Iterator[Kept]:
        kept = Kept()
        yield kept
        kept.let_go()

    @pytest.fixture
    def opened(self, subject: Subject, kept: Kept) -> Iterator[Opened]:
        opened = kept.take(subject, self.splits)
        try:
            yield opened
            if subject.snapshot() != opened.before:
                opened.put_back()
        except BaseException:
            kept.let_go()
            raise
        if opened.closed:
            kept.let_go()
        assert subject.snapshot() == opened.before

    @pytest.fixture
    def fresh(self, kept: Kept, request: pytest.FixtureRequest) -> Opened:
        kept.let_go()
        return request.getfixturevalue("opened")

    def test_closing_twice_is_closing_once(self, subject: Subject, kept: Kept) -> None:
        kept.let_go()  # a host has one sweep at a time
        super().test_closing_twice_is_closing_once(subject)

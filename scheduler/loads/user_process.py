"""User process as seen by the pool: orders, answers, and its end."""

import contextlib
import os
import tempfile

from scheduler.children import PIPE, ChildProgram, python_environment, python_module
from scheduler.errors import LoadDied
from scheduler.loads.user_lines import UserLines
from scheduler.loads.user_messages import BeginOrder, FailedAnswer, UserAnswer, UserOrder, UserTotals, encode_line
from scheduler.translation import _

_MODULE = "scheduler.loads.worker"
_END_STEPS_S = (2.0, 2.0, 5.0)  # ask (close its stdin), terminate, kill
_STDERR_BYTES = 2_000


class UserProcess(UserLines):
    """Process of a user, which starts at once.

    Args:
        begin: First order of the user.
        probe: True for the probe reader.
    """

    def __init__(self, begin: BeginOrder, *, probe: bool = False) -> None:
        super().__init__(begin, probe=probe)
        self._over = False
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `end`; a pipe could fill up
        try:
            # The environment keeps PG* but no password, which comes with the first order.
            self._process = ChildProgram(python_module(_MODULE), python_environment(), outputs=(PIPE, self._stderr))
        except OSError:
            self._stderr.close()
            raise
        os.set_blocking(self.fileno(), False)
        self.send(begin)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def over(self) -> bool:
        """True after all output of the process was read."""
        return self._over

    def fileno(self) -> int:
        """Return the file descriptor to select on for answers."""
        if self._process.stdout is None:
            raise LoadDied(_("{value} has no output").format(value=self.name))
        return self._process.stdout.fileno()

    def send(self, order: UserOrder) -> None:
        """Send an order; a dead process is detected by its answers."""
        self._process.write(encode_line(order))

    def answers(self) -> list[UserAnswer]:
        """Return the answers since the last call; an unexpected end is a `FailedAnswer`."""
        chunks: list[bytes] = []
        with contextlib.suppress(BlockingIOError):
            while not self._over:
                chunks.append(os.read(self.fileno(), 65_536))
                self._over = not chunks[-1]
        answers = self.read(b"".join(chunks))
        if self._over and chunks and not self._said_goodbye(answers):
            answers.append(
                FailedAnswer(
                    _("its process ended ({last_words})").format(last_words=self._last_words()), "", LoadDied.__name__
                )
            )
        return answers

    def ask_to_end(self) -> None:
        """Close the process's stdin, which ends it at once; never raise."""
        self._process.close_input()

    def end(self) -> None:
        """End the process: ask, terminate, kill; never raise. A second call does nothing."""
        self._process.end(*_END_STEPS_S)
        self._process.close_pipes()
        self._stderr.close()

    def _said_goodbye(self, answers: list[UserAnswer]) -> bool:
        return self.totals is not None or any(isinstance(answer, UserTotals | FailedAnswer) for answer in answers)

    def _last_words(self) -> str:
        self._process.wait_for(1.0)
        self._stderr.seek(max(0, self._stderr.seek(0, os.SEEK_END) - _STDERR_BYTES))
        said = self._stderr.read().decode("utf-8", "replace").strip().splitlines()
        status = self._process.returncode
        how = (
            _("signal {status}").format(status=-status)
            if status is not None and status < 0
            else _("status {status}").format(status=status)
        )
        return f"{how}: {said[-1]}" if said else how

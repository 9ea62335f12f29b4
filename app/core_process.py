"""Core process of a sweep, and one-shot commands of the same program."""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.child_process import ChildProcess
from scheduler.background_runs import AttachedProgram
from scheduler.errors import SchedulerError
from scheduler.model.codec import RunOrder, encode_line, make_decoder
from scheduler.model.host_kinds import HOST_KINDS, find_host_module
from scheduler.translation import _

log = logging.getLogger(__name__)

_MOST_BYTES = 64 << 20  # per answer; the longest, a run's points as JSON, has a few MiB
_GRACE_MS = 5_000  # between SIGTERM and SIGKILL

_URL = re.compile(r"[a-z][a-z0-9+.-]*:")

NO_EXIT_CODE = -1000  # not started, timeout or cancelled

Answer = TypeVar("Answer")


class CoreProcess(ChildProcess):
    """Core process that runs one sweep and can outlive the window.

    Args:
        parent: Qt's parent.
        environment: Additional environment variables, the only way to pass a password.
        program: Core that already runs in the background; None to start a core.
    """

    def __init__(
        self,
        parent: QObject | None = None,
        environment: Mapping[str, str] | None = None,
        program: AttachedProgram | None = None,
    ) -> None:
        super().__init__(["core"] if program is None else program, parent, environment)

    def order(self, order: RunOrder) -> None:
        """Send an order."""
        self.write(encode_line(order))


class OneShotCommand(QObject):
    """Command of the core that returns one JSON object, such as `probe` or `apply`.

    Signals:
        finished: Output and exit code, emitted once; `NO_EXIT_CODE` after a timeout or a cancellation.
    """

    finished = Signal(bytes, int)

    def __init__(
        self,
        words: list[str],
        stdin: bytes,
        timeout_s: float,
        environment: Mapping[str, str] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.words = list(words)
        self._pieces: list[bytes] = []
        self._bytes = 0
        self.exit_code: int | None = None
        self._timeout_s = timeout_s
        self._gave_up = ""
        self._child = ChildProcess(words, self, environment)
        self._child.line.connect(self._append_line)
        self._child.flooded.connect(self._answer_too_long)
        self._child.ended.connect(self._handle_exit)
        self._child.write(stdin)
        self._child.close_input()
        self._limit = QTimer(self)
        self._limit.setSingleShot(True)
        self._limit.timeout.connect(self._out_of_time)
        self._limit.start(round(timeout_s * 1000))

    @property
    def output(self) -> bytes:
        """The output so far."""
        return b"".join(self._pieces)

    @property
    def problem(self) -> str:
        """Reason for a missing result: timeout, cancellation or last error line.

        Empty without a problem.
        """
        return self._gave_up

    def cancel(self) -> None:
        """Stop the command; `finished` follows with `NO_EXIT_CODE`."""
        self._stop_command(_("cancelled"))

    def let_go(self) -> None:
        """Disconnect and let the command continue; `finished` does not follow."""
        self._limit.stop()
        self._child.let_go()

    def read(self, kind: type[Answer]) -> Answer:
        """Return the result as a value.

        Raises:
            SchedulerError: The output is empty or has another type.
        """
        try:
            return make_decoder(kind).decode(self.output)
        except (msgspec.MsgspecError, ValueError, RecursionError, SchedulerError) as error:
            why = self._gave_up or _("exit code {code}, unreadable answer").format(code=self.exit_code)
            text = _("'domtune {words}' failed: {why}").format(words=" ".join(self.words), why=why)
            failed = SchedulerError(text, hint=_("Try again."))
            if self._child.error_text:
                failed.add_note(self._child.error_text)  # shown as details
            raise failed from error

    def _append_line(self, line: bytes) -> None:
        self._bytes += len(line) + 1
        if self._bytes > _MOST_BYTES:
            self._answer_too_long()
        else:
            self._pieces += (line, b"\n")

    def _answer_too_long(self) -> None:
        self._stop_command(_("the answer is too long"))

    def _out_of_time(self) -> None:
        self._stop_command(_("no answer within {limit:g} s").format(limit=self._timeout_s))

    def _stop_command(self, why: str) -> None:
        """Stop the command, also if its exit has not been noticed yet."""
        if self.exit_code is None and not self._gave_up:
            self._gave_up = why
            if self._child.running:
                self._child.terminate()
                QTimer.singleShot(_GRACE_MS, self._child, self._kill_running)

    def _kill_running(self) -> None:
        if self._child.running:
            self._child.kill()

    def _handle_exit(self, code: int) -> None:
        self._limit.stop()
        self.exit_code = NO_EXIT_CODE if self._gave_up else code
        output = self.output
        if not self._gave_up and not output.strip():
            printed = self._child.error_text
            log.warning("%s ended with %d and no answer: %s", self.words, code, printed)
            # The last line of a traceback names the error.
            self._gave_up = printed.rpartition("\n")[2] or _("exit code {code}").format(code=code)
        self.finished.emit(output, self.exit_code)


class HostSecrets:
    """Passwords of hosts, in memory only, as environment variables for the core."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def keep(self, url: str, secret: str) -> None:
        """Store the password of a host until DomTune closes.

        Args:
            url: URL of the host.
            secret: Password; empty removes the stored password.
        """
        self._kept.pop(url, None)
        if secret:
            self._kept[url] = secret

    def environment(self, *words: str) -> dict[str, str]:
        """Return the password variables of the hosts in a command, and of no other hosts."""
        named = {_url_authority(word) for word in words if _URL.match(word)}
        meant = [url for url in self._kept if _url_authority(url) in named]
        exact = sorted(meant, key=lambda url: url in words)  # exact matches last, so that they win; the sort is stable
        return {name: self._kept[url] for url in exact for name in _password_variables(url)}


def _url_authority(url: str) -> tuple[str, str]:
    """Return the scheme and the authority of a URL.

    URLs with the same scheme and authority are the same computer with the same password.
    """
    scheme, _, rest = url.partition(":")
    return scheme, re.split("[/?#]", rest.removeprefix("//"), maxsplit=1)[0]


def _password_variables(url: str) -> tuple[str, ...]:
    """Return the variables of a host's password, of the kind with its module."""
    module = find_host_module(url)
    return next((kind.password_variables for kind in HOST_KINDS.values() if kind.module == module), ())


class CommandRunner(QObject):
    """Runner of one-shot commands that keeps them alive until they finish.

    Attributes:
        secrets: Passwords for the commands.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: set[OneShotCommand] = set()
        self.secrets = HostSecrets()

    @property
    def idle(self) -> bool:
        """True when no command is running."""
        return not self._running

    def run_once(
        self, words: list[str], stdin: bytes = b"", timeout_s: float = 60.0, hosts: Sequence[str] = ()
    ) -> OneShotCommand:
        """Start `python -m scheduler WORDS`; connect to `finished` of the result.

        Args:
            words: Arguments, for example `["probe", "local:", "--json"]`; `--json` is not added.
            stdin: Input, for example a password; secrets never go into `words`.
            timeout_s: Maximum run time, seconds.
            hosts: URLs of further hosts whose passwords the command needs. The command gets no other passwords.
        """
        made = OneShotCommand(words, stdin, timeout_s, self.secrets.environment(*words, *hosts), self)
        self._running.add(made)
        made.finished.connect(self._drop_finished)
        return made

    def close(self) -> None:
        """Disconnect from all commands and let them finish.

        A restore must not be cut short.
        """
        for command in self._running:
            command.let_go()
        self._running.clear()

    def _drop_finished(self) -> None:
        """Release finished commands.

        A closure in place of this slot would keep the runner alive until Qt deletes it.
        """
        for command in [command for command in self._running if command.exit_code is not None]:
            self._running.discard(command)
            command.deleteLater()

"""The core as a child that outlives us properly, and one-shot commands of the same program."""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.child_process import ChildProcess
from scheduler.errors import SchedulerError
from scheduler.model.codec import RunOrder, encode_line

log = logging.getLogger(__name__)

_MOST_BYTES = 64 << 20  # of one answer; the longest, a run's points as JSON, is a few
_GRACE_MS = 5_000  # between asking a one-shot command to end and ending it

_URL = re.compile(r"[a-z][a-z0-9+.-]*:")

NO_EXIT_CODE = -1000  # it could not be started, ran out of time or was cancelled

Answer = TypeVar("Answer")


class CoreProcess(ChildProcess):
    """A core that carries out one sweep."""

    def __init__(self, parent: QObject | None = None, environment: Mapping[str, str] | None = None) -> None:
        super().__init__(["core"], parent, environment)

    def order(self, order: RunOrder) -> None:
        """Send one order."""
        self.write(encode_line(order))


class OneShotCommand(QObject):
    """One command of the core that answers with one JSON object: `probe`, `run --dry-run`, `apply` ...

    Signals:
        finished: Its output and exit code; `NO_EXIT_CODE` when it ran out of time or was cancelled. Emitted once.
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
        """What it said so far."""
        return b"".join(self._pieces)

    @property
    def problem(self) -> str:
        """Why there is no answer: out of time, cancelled, or the last line it said about it; empty when none."""
        return self._gave_up

    def cancel(self) -> None:
        """End it; `finished` follows with `NO_EXIT_CODE`."""
        self._stop_command(self.tr("cancelled"))

    def let_go(self) -> None:
        """Stop listening; it goes on, `finished` does not come."""
        self._limit.stop()
        self._child.let_go()

    def read(self, kind: type[Answer]) -> Answer:
        """Return the answer as a value; raises SchedulerError when there is none, or it is something else."""
        try:
            return msgspec.json.decode(self.output, type=kind)
        except (msgspec.MsgspecError, ValueError, RecursionError, SchedulerError) as error:
            why = self._gave_up or self.tr("exit code {code}, answer not understood").format(code=self.exit_code)
            text = self.tr("'domtune {words}' failed: {why}").format(words=" ".join(self.words), why=why)
            failed = SchedulerError(text, hint=self.tr("Try again."))
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
        self._stop_command(self.tr("its answer is longer than any answer can be"))

    def _out_of_time(self) -> None:
        self._stop_command(self.tr("no answer within {limit:g} s").format(limit=self._timeout_s))

    def _stop_command(self, why: str) -> None:
        """Give it up, also where it has ended by itself and that was not heard of yet."""
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
            said = self._child.error_text
            log.warning("%s ended with %d and no answer: %s", self.words, code, said)
            # A command that broke down says so in many lines, the last of which tells what it was.
            self._gave_up = said.rpartition("\n")[2] or self.tr("exit code {code}").format(code=code)
        self.finished.emit(output, self.exit_code)


class HostSecrets:
    """Passwords of hosts, in memory only, as the variables in which the core looks for them."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def keep(self, url: str, secret: str) -> None:
        """Remember the password of a host until DomTune closes; an empty one forgets it."""
        self._kept.pop(url, None)
        if secret:
            self._kept[url] = secret

    def environment(self, *words: str) -> dict[str, str]:
        """Return the variables for the hosts among a command's words: nothing that was told for another host."""
        named = {_url_authority(word) for word in words if _URL.match(word)}
        meant = [url for url in self._kept if _url_authority(url) in named]
        exact = sorted(meant, key=lambda url: url in words)  # stable: the latest of the others before it
        return {name: self._kept[url] for url in exact for name in _password_variables(url)}


def _url_authority(url: str) -> tuple[str, str]:
    """Return a URL's scheme and authority: what comes after them is the same machine, and has the same password."""
    scheme, _, rest = url.partition(":")
    return scheme, re.split("[/?#]", rest.removeprefix("//"), maxsplit=1)[0]


def _password_variables(url: str) -> tuple[str, ...]:
    scheme = url.partition(":")[0]
    if scheme == "xapi":
        return ("DOMTUNE_XAPI_PASSWORD", "DOMTUNE_SSH_PASSWORD")  # Dom0's root has one for both
    return ("DOMTUNE_SSH_PASSWORD",) if scheme in {"xl+ssh", "xen+ssh"} else ("DOMTUNE_LIBVIRT_PASSWORD",)


class CommandRunner(QObject):
    """Starts one-shot commands and keeps them alive until they finished.

    Attributes:
        secrets: What the commands need to log in.
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
        """Start `python -m scheduler WORDS`; connect `finished` of what is returned.

        Args:
            words: For example `["probe", "local:", "--json"]`; `--json` is not added by itself.
            stdin: What it reads, for example a password; secrets never go into `words`.
            timeout_s: After this many seconds it is ended.
            hosts: URLs of hosts that it deals with and the words do not name: it gets their passwords, no others.
        """
        made = OneShotCommand(words, stdin, timeout_s, self.secrets.environment(*words, *hosts), self)
        self._running.add(made)
        made.finished.connect(self._drop_finished)
        return made

    def close(self) -> None:
        """Stop listening. Commands end by themselves: one that is putting a host back must not be cut short."""
        for command in self._running:
            command.let_go()
        self._running.clear()

    def _drop_finished(self) -> None:
        """Drop what has finished. A slot of ours, not a closure: that would keep us alive until Qt deletes it."""
        for command in [command for command in self._running if command.exit_code is not None]:
            self._running.discard(command)
            command.deleteLater()

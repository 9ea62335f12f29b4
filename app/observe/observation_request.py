"""Request to observe a host, and its validation; plain values without widgets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.wizard import input_parsing
from scheduler.errors import SchedulerError, SpecError
from scheduler.follow.move_decision import parse_range
from scheduler.follow.split_rule import log_ratio_of
from scheduler.model.databases import DATABASES, STANDARD_DATABASE, find_url_kind
from scheduler.model.problems import describe_error
from scheduler.model.split import parse_split
from scheduler.translation import _

LOCAL_URL = "local:"
WATCH_EXAMPLE_URL = "sim:?load=osdb-oltp&split=1:1&scheduler=credit2"
FOLLOW_EXAMPLE_URL = "sim:?load=bulk,compute&turn_s=1800&split=1:2&scheduler=rtds&users=12"
DEFAULT_RANGE = "1:5..5:1"
_SIMULATED = "sim:"


@dataclass(frozen=True, slots=True)
class ObservationRequest:
    """Host, domains and database to observe, and the terms of following.

    Attributes:
        url: URL of the host.
        span: Duration, as `--for` takes it.
        follows: True to follow: change splits. False to watch: only read.
        io: Name of the I/O domain; empty for the default.
        guest: Name of the guest; empty for the default.
        database: URL of the user's own database; empty for none.
        password: Password of that database; empty if its client finds the password.
        range: Splits that following may set, as `--range` takes them.
        static: Split that following is compared with; empty for the original split.
        account: Part of the time for the static split, percent: 50, 10 or 0.
        seed: Seed of the order of the comparison periods; None for a random seed.
    """

    url: str
    span: str
    follows: bool = False
    io: str = ""
    guest: str = ""
    database: str = ""
    password: str = field(default="", repr=False)
    range: str = DEFAULT_RANGE
    static: str = ""
    account: str = "50"
    seed: int | None = None

    @property
    def domains(self) -> list[str]:
        """Command-line options that name the domains."""
        return _options(("--io", self.io), ("--guest", self.guest))

    @property
    def words(self) -> list[str]:
        """Command of the core with its arguments, without the password."""
        more = [*self.domains, *_options(("--database", self.database)), "--", self.url]
        if not self.follows:
            return ["watch", "--json", "--windows", "--orders", "--for", self.span, *more]
        return ["follow", "--json", "--ask", "--for", self.span, *self._terms(), *more]

    @property
    def environment(self) -> Mapping[str, str]:
        """Additional environment variables of the process: the database client's password."""
        if not (self.database and self.password):
            return {}
        kind = find_url_kind(self.database) or DATABASES[STANDARD_DATABASE]
        return {kind.password_variable: self.password}

    def _terms(self) -> list[str]:
        counts = self.database or self.url.startswith(_SIMULATED)
        return _options(
            ("--range", self.range),
            ("--static", self.static),
            ("--account", self.account if counts else ""),
            ("--seed", "" if self.seed is None else str(self.seed)),
        )


def find_input_errors(asked: ObservationRequest) -> dict[str, str]:
    """Return error texts by invalid field, without passwords.

    Fields are `host`, `database`, `range` and `static`.
    """
    found: dict[str, str] = {}
    _note_error(found, "host", lambda: input_parsing.parse_host_url(asked.url))
    if "://" in asked.url and ":" in asked.url.partition("://")[2].rpartition("@")[0]:
        found["host"] = _("Leave the password out of the URL. DomTune asks for the password if the host needs one.")
    if asked.database:
        _note_error(found, "database", lambda: input_parsing.parse_database_url(asked.database))
    if asked.follows:
        _note_error(found, "range", lambda: parse_range(asked.range))
    if asked.follows and asked.static:
        _note_error(found, "static", lambda: _check_static_split(asked))
    return found


def _check_static_split(asked: ObservationRequest) -> None:
    """Check that the static split is valid and within the range.

    Raises:
        SpecError: The split is invalid or outside the range.
    """
    ratio = log_ratio_of(parse_split(asked.static, "--static"))
    try:
        low, high = map(log_ratio_of, parse_range(asked.range))
    except SpecError:
        return  # the field of the range shows this error
    if not low <= ratio <= high:
        problem = _("{static} is outside of {range}").format(static=asked.static, range=asked.range)
        raise SpecError("--static", problem, hint=_("Choose a split within the range, or change the range."))


def _note_error(found: dict[str, str], name: str, check: Callable[[], object]) -> None:
    try:
        check()
    except SchedulerError as error:
        found[name] = describe_error(error)


def _options(*named: tuple[str, str]) -> list[str]:
    return [f"{option}={value}" for option, value in named if value]

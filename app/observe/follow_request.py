"""Request to follow a host, and its validation; plain values without widgets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.observe import watch_request as watch
from scheduler.errors import SchedulerError, SpecError
from scheduler.follow.move_decision import parse_range
from scheduler.follow.split_rule import log_ratio_of
from scheduler.model.databases import DATABASES, STANDARD_DATABASE, find_url_kind
from scheduler.model.problems import describe_error
from scheduler.model.split import parse_split

EXAMPLE_URL = "sim:?load=bulk,compute&turn_s=1800&split=1:2&scheduler=rtds&users=12"
DEFAULT_RANGE = "1:5..5:1"
_SIMULATED = "sim:"


@dataclass(frozen=True, slots=True)
class FollowRequest:
    """Host, range, comparison and database for following.

    Attributes:
        url: URL of the host.
        span: Duration, as `--for` takes it.
        range: Allowed splits, as `--range` takes them.
        static: Split to compare with; empty for the original split.
        account: Part of the time for the static split, percent: 50, 10 or 0.
        io: Name of the I/O domain; empty for the default.
        guest: Name of the guest; empty for the default.
        database: URL of the user's own database; empty for none.
        password: Password of that database; empty if its client finds the password.
        seed: Seed of the order of the comparison periods; None for a random seed.
    """

    url: str
    span: str
    range: str = DEFAULT_RANGE
    static: str = ""
    account: str = "50"
    io: str = ""
    guest: str = ""
    database: str = ""
    password: str = field(default="", repr=False)
    seed: int | None = None

    @property
    def domains(self) -> list[str]:
        """Command-line options that name the domains."""
        named = (("--io", self.io), ("--guest", self.guest))
        return [f"{option}={name}" for option, name in named if name]

    @property
    def words(self) -> list[str]:
        """Arguments of `domtune follow`, without the password."""
        counts = self.database or self.url.startswith(_SIMULATED)
        named = (
            ("--static", self.static),
            ("--account", self.account if counts else ""),
            ("--database", self.database),
            ("--seed", "" if self.seed is None else str(self.seed)),
        )
        more = [f"{option}={value}" for option, value in named if value]
        return ["--for", self.span, f"--range={self.range}", *more, *self.domains, "--", self.url]

    @property
    def environment(self) -> Mapping[str, str]:
        """Additional environment variables of the process: the database client's password."""
        if not (self.database and self.password):
            return {}
        kind = find_url_kind(self.database) or DATABASES[STANDARD_DATABASE]
        return {kind.password_variable: self.password}


def find_input_errors(asked: FollowRequest) -> dict[str, str]:
    """Return error texts by invalid field, without passwords.

    Fields are `host`, `database`, `range` and `static`.
    """
    found = watch.find_input_errors(watch.WatchRequest(asked.url, asked.span, database=asked.database))
    _note_error(found, "range", lambda: parse_range(asked.range))
    if asked.static:
        _note_error(found, "static", lambda: _check_static_split(asked))
    return found


def _check_static_split(asked: FollowRequest) -> None:
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
        problem = f"{asked.static} is outside of {asked.range}"
        raise SpecError("--static", problem, hint="Name one of the range, or another range.")


def _note_error(found: dict[str, str], name: str, check: Callable[[], object]) -> None:
    try:
        check()
    except SchedulerError as error:
        found[name] = describe_error(error)

"""What a person wants followed, and what is wrong with it before anybody is asked. Plain values, no widgets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.watch import watch_request as watch
from scheduler.errors import SchedulerError, SpecError
from scheduler.follow.move_decision import parse_range
from scheduler.follow.split_rule import log_ratio_of
from scheduler.model.databases import DATABASES
from scheduler.model.problems import describe_error
from scheduler.model.split import parse_split

EXAMPLE_URL = "sim:?load=bulk,compute&turn_s=1800&split=1:2&scheduler=rtds&users=12"
DEFAULT_RANGE = "1:5..5:1"
_SIMULATED = "sim:"


@dataclass(frozen=True, slots=True)
class FollowRequest:
    """What is to be followed.

    Attributes:
        url: The host.
        span: For how long, as `--for` takes it.
        range: Splits that may ever be set, as `--range` takes it.
        static: The split that it is compared with; empty for the one that is found.
        account: How much of the time is accounted for, percent.
        io: Name of the I/O domain; empty for the obvious one.
        guest: Name of the guest; likewise.
        database: URL of the person's own database; empty for none.
        password: That database's; empty where its client finds it.
        seed: Of the order in which what is compared has its turn; None to have it drawn.
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
        """Words that name the domains."""
        named = (("--io", self.io), ("--guest", self.guest))
        return [f"{option}={name}" for option, name in named if name]

    @property
    def words(self) -> list[str]:
        """What `domtune follow` is to be told; the password goes by the environment."""
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
        """What its process gets beside ours: where the database's client looks for a password."""
        if not (self.database and self.password):
            return {}
        mariadb = self.database.partition("://")[0] in DATABASES["mariadb"].schemes
        return {"MYSQL_PWD" if mariadb else "PGPASSWORD": self.password}


def find_input_errors(asked: FollowRequest) -> dict[str, str]:
    """Return what cannot be read, by field (`host`, `database`, `range`, `static`), in words without any password."""
    found = watch.find_input_errors(watch.WatchRequest(asked.url, asked.span, database=asked.database))
    _note_error(found, "range", lambda: parse_range(asked.range))
    if asked.static:
        _note_error(found, "static", lambda: _check_static_split(asked))
    return found


def _check_static_split(asked: FollowRequest) -> None:
    """Read the static split; raises SpecError."""
    ratio = log_ratio_of(parse_split(asked.static, "--static"))
    try:
        low, high = map(log_ratio_of, parse_range(asked.range))
    except SpecError:
        return  # that is said beside the range
    if not low <= ratio <= high:
        problem = f"{asked.static} is outside of {asked.range}"
        raise SpecError("--static", problem, hint="Name one of the range, or another range.")


def _note_error(found: dict[str, str], name: str, check: Callable[[], object]) -> None:
    try:
        check()
    except SchedulerError as error:
        found[name] = describe_error(error)

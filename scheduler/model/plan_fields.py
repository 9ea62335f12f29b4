"""Declarations of all keys of a plan file.

Reader, writer, JSON Schema, manual and wizard are made from these. The keys of a load's own parameters are declared by
its kind (`LoadKind.parameters`), those of the server by its database (`DatabaseKind.settings`).
"""

from collections.abc import Mapping

import msgspec

from scheduler.model.clients import ON_LOSS, WAIT
from scheduler.model.databases import DATABASES
from scheduler.model.lesson_entry import LONGEST_LESSON, LONGEST_PREDICTION, LONGEST_STUDENT
from scheduler.model.load import USERS_RANGE
from scheduler.model.load_kinds import LOAD_KINDS, TUPLES_PARAMETER
from scheduler.model.objective import OBJECTIVE_KEYS, WEIGHTED
from scheduler.model.other_guests import AWAY, LEAVE
from scheduler.model.parameters import Parameter
from scheduler.model.protocols import PROTOCOLS, REFINE, WINDOWS
from scheduler.model.shared_set import AUTO, MOST_CPUS
from scheduler.model.spec import PERIOD_US_RANGE, SEED_RANGE
from scheduler.model.split import Mode
from scheduler.model.studies import CALIBRATION, SPLIT, STUDIES, STUDY_KEYS
from scheduler.translation import _


class PlanTable(msgspec.Struct, frozen=True, kw_only=True):
    """One table of a plan file.

    Attributes:
        name: Its name in the file; empty for the keys above all tables.
        help: One sentence about the purpose of the table.
        keys: Its keys, in the order in which a plan is written.
        many: True for a list of tables, `[[load]]`.
    """

    name: str
    help: str
    keys: tuple[Parameter, ...]
    many: bool = False

    def key(self, name: str) -> Parameter | None:
        """Return the declaration of a key; None where the table has no such key."""
        return next((each for each in self.keys if each.name == name), None)


def _text(name: str, title: str, text: str, *, applies: str = "", required: bool = False, more: str = "") -> Parameter:
    """Return a key whose text has a check of its own."""
    return Parameter(
        name=name, title=title, help=text, default="", applies=applies, required=required, checked=False, more=more
    )


_BUILT_IN = [f"`{kind.brought}`" for kind in DATABASES.values() if kind.built_in]


_TOP = PlanTable(
    name="",
    help=_("The sweep: its host, its question, its settings and its length."),
    keys=(
        _text("name", "Name", _("Name of the sweep.")),
        _text("host", "Host", _("URL of the host to sweep."), required=True, more="#host-urls"),
        Parameter(
            name="study",
            title=_("Study"),
            help=_("The question that the sweep answers."),
            default=SPLIT,
            choices=(*STUDIES, CALIBRATION),
            more="#studies",
        ),
        Parameter(
            name="mode",
            title=_("Mode"),
            help=_(
                "With `{weights}` a domain may use CPU that the other domain leaves, with `{caps}` "
                "not. With `{dedicated}` each domain has its own whole CPUs."
            ).format(weights=Mode.WEIGHTS, caps=Mode.CAPS, dedicated=Mode.DEDICATED),
            default=Mode.CAPS.value,
            choices=tuple(mode.value for mode in Mode),
        ),
        Parameter(
            name="splits",
            title=_("Splits"),
            help=_("Splits to measure, I/O domain first; each once, at least one."),
            default="1:2",
            default_text=_("the study's"),
            many=True,
            checked=False,
            more="#splits",
        ),
        *(key for path, key in STUDY_KEYS.items() if path == key.name),
        Parameter(
            name="protocol",
            title=_("Protocol"),
            help=_("Windows and repeats."),
            default="adaptive",
            default_text=_("the study's"),
            choices=tuple(PROTOCOLS),
            more="#protocols",
        ),
        *WINDOWS,
        REFINE,
        Parameter(
            name="baseline",
            title=_("Baseline"),
            help=_(
                "Measure the original settings in every block, next to the splits; without them the sweep cannot know "
                "the gain of a change, and never advises one."
            ),
            default=True,
        ),
        Parameter(
            name="history",
            title=_("History"),
            help=_("Begin with the last run of the same host, mode, loads, users and database."),
            default=True,
            applies=_("adaptive, quick"),
            more="../explanation/statistics.md#a-second-sweep-begins-with-the-first",
        ),
        Parameter(
            name="period_ms",
            title=_("Period"),
            help=_("Period of the quota of caps; unused where the scheduler has its own (Xen's caps)."),
            default=20.0,
            low=PERIOD_US_RANGE[0] / 1000,
            high=PERIOD_US_RANGE[1] / 1000,
            unit="ms",
        ),
        Parameter(
            name="seed",
            title=_("Seed"),
            help=_("Seed of the order of the trials and of the users' keys."),
            default=1,
            low=SEED_RANGE[0],
            high=SEED_RANGE[1],
        ),
    ),
)

_DOMAINS = PlanTable(
    name="domains",
    help=_("The domains, where the host has no obvious pair; `local:` needs none."),
    keys=(
        _text("io", _("I/O domain"), _("The host's name of the I/O domain.")),
        _text("guest", "Guest", _("The host's name of the guest.")),
        *(key for path, key in STUDY_KEYS.items() if path.startswith("domains.")),
    ),
)

_CPUS = PlanTable(
    name="cpus",
    help=_("The physical CPUs that the domains share during the sweep; their placement is restored afterwards."),
    keys=(
        Parameter(
            name="set",
            title="CPUs",
            help=_(
                'CPUs to share. "auto": whole cores of one NUMA node, at most as many CPUs as the domains can use. '
                '"pool": every CPU open to all domains. "node 0": those of one NUMA node. "0-7, 16": these CPUs. '
                '"as-found": no domain is confined.'
            ),
            default=AUTO,
            checked=False,
        ),
        Parameter(
            name="count",
            title=_("Number of CPUs"),
            help=_("Largest number of CPUs of the set, lowest numbers first; 0 where `set` decides."),
            default=0,
            high=MOST_CPUS,
        ),
        Parameter(
            name="others",
            title=_("Other guests"),
            help=_(
                "Guests that are no domains of the sweep, but may run on the set. `leave`: they stay. `away`: DomTune "
                "keeps them on other CPUs while the sweep runs, and restores them afterwards. Xen only."
            ),
            default=LEAVE,
            choices=(LEAVE, AWAY),
        ),
    ),
)

_SERVER = PlanTable(
    name="server",
    help=_("Settings of the built-in database server; refused where DomTune starts none."),
    keys=tuple(setting for kind in DATABASES.values() for setting in kind.settings),
)

LOAD_KEYS = PlanTable(
    name="load",
    help=_("One table per load, each kind once; by default the loads of the study."),
    many=True,
    keys=(
        _text(
            "kind", "Load", _("Work of the users: the name of a load."), required=True, more="../explanation/loads.md"
        ),
        Parameter(
            name="users",
            title=_("Users"),
            help=_(
                "Users that work at the same time; in a capacity study, the largest number to try. By default a "
                "split sweep has 4 for each shared CPU, and 5 on one CPU."
            ),
            default=5,
            default_text=_("the study's"),
            low=USERS_RANGE[0],
            high=USERS_RANGE[1],
        ),
        _text(
            "database",
            "Database",
            _(
                "A built-in database ({built_in}), or the URL of a database of yours without a "
                "password; the same in each load. By default PostgreSQL; of sysbench MariaDB."
            ).format(built_in=", ".join(_BUILT_IN)),
        ),
        TUPLES_PARAMETER,
        Parameter(
            name="probe",
            title=_("Extra reader"),
            help=_("Run one extra reader next to the users; its rate is reported separately."),
            default=False,
        ),
        Parameter(
            name="alone",
            title=_("Alone"),
            help=_("Run the load alone. Default: true. With false, the load runs in mixes only."),
            default=True,
        ),
    ),
)
"""The keys of every load; the keys of one kind are `LoadKind.parameters`."""

MIX_KEYS = PlanTable(
    name="mix",
    help=_("One table per mix: loads that run at the same time."),
    many=True,
    keys=(
        _text("name", "Name", _("Name of the mix: up to 24 letters, digits, - and _, a letter first."), required=True),
        Parameter(
            name="loads",
            title=_("Loads"),
            help=_("Kinds of the plan's loads that run together, at least two, each once."),
            default=next(iter(LOAD_KINDS)),
            default_text="none",
            required=True,
            many=True,
            checked=False,
        ),
    ),
)

WEIGHT = Parameter(
    name="weights",
    title=_("Weight"),
    help=_(
        "Weight of each load, for example `weights = { osdb-ir = 2, osdb-oltp = 1 }`; not all 0. A load that the "
        "table does not name has weight 0."
    ),
    default=1.0,
    default_text=_("1 for each load"),
    applies=WEIGHTED,
    high=1e6,
)
"""Declaration of each value of the table `objective.weights`, whose keys are loads."""

_OBJECTIVE = PlanTable(
    name="objective",
    help=_('The meaning of "best", and the smallest gain that pays.'),
    keys=OBJECTIVE_KEYS,
)

_CLIENTS = PlanTable(
    name="clients",
    help=_("Computers that run the users of DomTune's own loads; by default this computer."),
    keys=(
        _text(
            "scheduler", _("Dask scheduler"), _("Address of a Dask scheduler, `tls://HOST:PORT` or `tcp://HOST:PORT`.")
        ),
        Parameter(
            name="workers",
            title=_("Workers"),
            help=_("Names or addresses of the workers that get the users, in this order, each once."),
            default="worker-1",
            default_text=_("all workers"),
            many=True,
            checked=False,
        ),
        Parameter(
            name="on_loss",
            title=_("If a worker is lost"),
            help=_(
                "If a worker is lost: wait up to 60 s for it, go on without it, or end the sweep. The trial is "
                "discarded in each case."
            ),
            default=WAIT,
            choices=ON_LOSS,
        ),
        _text("ca_file", "Authority", _("Path of the authority's PEM file."), applies="tls"),
        _text("cert_file", "Certificate", _("Path of this computer's certificate, a PEM file."), applies="tls"),
        _text("key_file", "Key", _("Path of this computer's key, a PEM file."), applies="tls"),
    ),
)

_LESSON = PlanTable(
    name="lesson",
    help=_("The lesson that the sweep belongs to; `domtune lesson run` writes this table. It changes no trial."),
    keys=(
        Parameter(
            name="name",
            title=_("Lesson"),
            help=_("Name of the lesson, as `domtune lesson list` prints it."),
            default="",
            longest=LONGEST_LESSON,
        ),
        Parameter(
            name="student", title=_("Student"), help=_("Name of the student."), default="", longest=LONGEST_STUDENT
        ),
        Parameter(
            name="prediction",
            title=_("Prediction"),
            help=_("The student's prediction before the measurement: a split, a number of users, or percent."),
            default="",
            longest=LONGEST_PREDICTION,
        ),
    ),
)

PLAN_TABLES: Mapping[str, PlanTable] = {
    table.name: table for table in (_TOP, _DOMAINS, _CPUS, _SERVER, LOAD_KEYS, MIX_KEYS, _OBJECTIVE, _CLIENTS, _LESSON)
}
"""Name to table, in the order in which a plan is written."""


def plan_key(path: str) -> Parameter:
    """Return the declaration of a key.

    Args:
        path: `seed`, or with its table `objective.worth_frac`.

    Raises:
        KeyError: There is no such key.
    """
    table, _, name = path.rpartition(".")
    found = PLAN_TABLES[table].key(name)
    if found is None:
        raise KeyError(path)
    return found

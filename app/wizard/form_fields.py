"""Texts of a load's fields and of a protocol's windows, by plan key; no Qt here.

The texts of a load are `users`, `database`, `probe` and its parameters, as in a plan. Further texts are `on` ("no" for
a load that is off), `own`, `brought` and `weight`. `own` is "yes" for the external database in `database`; otherwise
`brought` is the kind of the built-in database. The texts of unselected choices are kept.
"""

from collections.abc import Mapping
from functools import partial

from app.wizard import input_parsing
from app.wizard.key_texts import number_text, parameter_text
from app.wizard.plan_draft import PlanDraft
from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, STANDARD_DATABASE, parse_database_name
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.parameters import Parameter, ParameterValue
from scheduler.model.plan_fields import plan_key
from scheduler.model.protocols import WINDOWS as PROTOCOL_WINDOWS
from scheduler.model.protocols import SweepProtocol
from scheduler.model.study_kind import StudyKind

WINDOWS = tuple(key.name for key in PROTOCOL_WINDOWS)
DATABASE_KEYS = ("own", "brought", "database")
"""Texts of a load that choose its database."""


def users_text(study: StudyKind) -> str:
    """Return the users of a load in a new form; empty where the host decides."""
    return "" if study.recommends_split else str(study.users)


def list_standard_loads(users: str = "") -> dict[str, dict[str, str]]:
    """Return the texts of all load kinds; only the standard loads are on.

    Args:
        users: Text for the users of each load; empty where the host decides.
    """
    database = {"own": "no", "brought": STANDARD_DATABASE, "database": ""}
    return {
        kind.name: {
            **{each.name: parameter_text(each.default) for each in kind.parameters},
            **{"on": parameter_text(kind.standard), "users": users, "probe": "no", "weight": "1", **database},
        }
        for kind in LOAD_KINDS.values()
    }


def list_load_texts(load: LoadSpec, weights: Mapping[str, float], *, by_host: bool = False) -> dict[str, str]:
    """Return the texts of a plan's load.

    Args:
        load: The load.
        weights: Load to its weight; the text of a load without a weight is empty.
        by_host: True where the number of shared CPUs decides the users.
    """
    parameters = LOAD_KINDS[load.kind].parameters
    return {
        **{each.name: parameter_text(load.values[each.name]) for each in parameters},
        "on": "yes",
        "users": "" if by_host else str(load.users),
        "own": parameter_text(bool(load.url)),
        "brought": STANDARD_DATABASE if load.url else load.engine,
        "database": load.url,
        "probe": parameter_text(load.probe),
        "weight": number_text(weights[load.kind]) if load.kind in weights else "",
    }


def chosen_engine(texts: Mapping[str, str]) -> str:
    """Return the name of the database kind that a load's texts choose.

    Text that is no database URL means the standard kind. The name may be empty for the default of the load's kind.
    """
    if texts["own"] != "yes":
        return texts["brought"]
    try:
        return parse_database_name(texts["database"].strip())
    except SpecError:
        return STANDARD_DATABASE


def put_load(draft: PlanDraft, index: int, kind: str, texts: Mapping[str, str]) -> None:
    """Put a load into a draft of a plan; skip the text of hidden fields.

    Users without a number are left to the host's CPUs, in a study that allows this.

    Args:
        draft: The draft, with the study, and with a table for the load in `load`.
        index: Index of the load in `load`, from 0.
        kind: Kind of the load.
        texts: Texts of the load.
    """
    field, path = f"loads.{kind}", ("load", index)
    draft.show_at(path, f"{field}.users")
    found = draft.put((*path, "database"), f"{field}.database", partial(_read_database, kind, texts))
    draft.values["load"][index]["probe"] = texts["probe"] == "yes"
    dialect = DATABASES[chosen_engine(texts) or LoadSpec(kind).engine].dialect if found else ""
    for each in (plan_key("load.users"), *LOAD_KINDS[kind].parameters):
        left_to_host = each.name == "users" and not texts["users"].strip()
        if each.fits_database(dialect) and not left_to_host:
            draft.put((*path, each.name), f"{field}.{each.name}", partial(_read_parameter, each, texts[each.name]))


def _read_database(kind: str, texts: Mapping[str, str]) -> str:
    """Return the database as a plan names it.

    Raises:
        SpecError: The text is no database URL.
    """
    if texts["own"] == "yes":
        return input_parsing.parse_database_url(texts["database"])
    return "" if texts["brought"] in ("", LoadSpec(kind).engine) else DATABASES[texts["brought"]].brought


def _read_parameter(declared: Parameter, text: str) -> ParameterValue | None:
    """Return the plan's value of a parameter; None for the default."""
    value = input_parsing.parse_parameter(declared, text)
    return None if value == declared.standard else value


def window_texts(protocol: SweepProtocol) -> dict[str, str]:
    """Return the windows of a protocol as typed text, by their keys."""
    return {name: str(getattr(protocol, name)) for name in WINDOWS}

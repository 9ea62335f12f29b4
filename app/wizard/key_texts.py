"""Texts of the wizard's fields by plan key (`objective.limit_frac`); no Qt here.

Fractions are typed in percent. A key may have no text if its default is empty or 0.
"""

import re
from collections.abc import Mapping
from functools import partial

import msgspec

from app.wizard import input_parsing
from app.wizard.plan_draft import PlanDraft
from scheduler.errors import SpecError
from scheduler.model.clients import ClientsSpec, is_encrypted, refuse_unencrypted
from scheduler.model.load_kinds import list_standard_kinds
from scheduler.model.objective import LIMITED
from scheduler.model.parameters import ParameterValue
from scheduler.model.plan_fields import plan_key
from scheduler.model.plan_settings import list_modes, list_splits, list_vcpus
from scheduler.model.server_settings import settings_to_write, study_server_settings
from scheduler.model.setting import DIRECT
from scheduler.model.spec import RunSpec
from scheduler.model.split import TIME_MODES
from scheduler.model.studies import STUDY_KEYS
from scheduler.studies.isolation.declaration import IsolationStudy
from scheduler.translation import _

CLUSTER = "clients"
"""Key with "yes" for clients on a cluster; the cluster's other texts are kept for "no"."""
INSECURE = "clients.insecure"
"""Key with "yes" to allow an unencrypted connection; set by the user, never read from a plan."""
_SPACED = ("vcpus", "modes", "threes")  # lists separated by blanks
CLIENT_FILES = ("ca_file", "cert_file", "key_file")


def list_standard_texts(spec: RunSpec) -> dict[str, str]:
    """Return the texts of a new form.

    Args:
        spec: Plan with all defaults.
    """
    typed = {"objective.load": list_standard_kinds()[0], "objective.limit_frac": "5", INSECURE: "no"}
    typed |= {"modes": " ".join(TIME_MODES), "threes": " ".join(IsolationStudy.kind.splits), "second": ""}
    return {**list_texts(spec, all_keys=True), **typed}


def list_texts(spec: RunSpec, *, all_keys: bool = False) -> dict[str, str]:
    """Return the texts of a plan's keys.

    Args:
        spec: The plan.
        all_keys: True to include keys without text.
    """
    own = msgspec.structs.asdict(spec.study)
    usual = study_server_settings(spec.study, spec.host_url, spec.loads)
    modes = list_modes(spec)
    values: dict[str, object] = {
        **{path: own.get(key.name) or "" for path, key in STUDY_KEYS.items()},
        "base": spec.study.reference_url,
        "name": spec.name,
        "domains.io": spec.io_domain,
        "domains.guest": spec.guest_domain,
        "mode": spec.mode.value,
        "period_ms": spec.period_us / 1000,
        "seed": spec.seed,
        "baseline": spec.baseline,
        "history": spec.history,
        "vcpus": list_vcpus(spec),
        "modes": modes,
        "threes": list_splits(spec) if modes else None,
        "second": spec.loads[-1].kind if modes and len(spec.loads) > 1 else "",
        "reference": own.get("base") == DIRECT,
        "cpus.set": spec.cpus.set,
        "cpus.others": spec.cpus.others,
        "cpus.count": spec.cpus.count or "",
        **{f"server.{name}": value for name, value in settings_to_write(spec.server, usual, spec.loads).items()},
        CLUSTER: spec.clients.remote,
    }
    for name, part in (("clients", spec.clients), ("objective", spec.objective)):
        values |= {f"{name}.{key}": value for key, value in msgspec.structs.asdict(part).items()}
    texts = {path: _value_text(path, value) for path, value in values.items()}
    return {path: text for path, text in texts.items() if text or all_keys}


def _value_text(path: str, value: object) -> str:
    if isinstance(value, tuple | list):
        return (" " if path in _SPACED else ", ").join(map(str, value))
    if path.endswith("_frac"):
        return f"{100 * value:.10g}" if isinstance(value, float) and value else ""
    return parameter_text(value) if isinstance(value, bool | int | float | str) else ""


def put_texts(draft: PlanDraft, texts: Mapping[str, str], *paths: str) -> None:
    """Put the values of some keys into a draft of a plan.

    A key without text is skipped if its default is empty or 0. Otherwise the empty text is read.

    Args:
        draft: The draft.
        texts: Key to its text.
        paths: The keys.
    """
    for path in paths:
        if texts[path].strip() or plan_key(path).standard:
            draft.put(tuple(path.split(".")), path, partial(_read_key, path, texts[path]))


def _read_key(path: str, text: str) -> ParameterValue | list[ParameterValue]:
    declared = plan_key(path)
    if path.endswith("_frac"):
        return input_parsing.parse_percent(path, text)
    if not declared.many:
        return input_parsing.parse_parameter(declared, text, path)
    parts = re.split(r"[\s,]+" if declared.kind is int else ",", text)
    return [input_parsing.parse_parameter(declared, part, path) for part in parts if part.strip()]


def put_objective(draft: PlanDraft, texts: Mapping[str, str]) -> None:
    """Put the objective, `baseline` and `history` into a draft of a plan.

    Args:
        draft: The draft.
        texts: Key to its text; load and limit are read for the objective `limited` only.
    """
    limited = texts["objective.name"] == LIMITED
    chosen = ("name", "purpose", "load") if limited else ("name", "purpose")
    draft.values["objective"] = {name: texts[f"objective.{name}"] for name in chosen}
    draft.values |= {name: texts[name] == "yes" for name in ("baseline", "history")}
    typed = ("tolerance_frac", "worth_frac", "limit_frac") if limited else ("tolerance_frac", "worth_frac")
    put_texts(draft, texts, *(f"objective.{name}" for name in typed))


def list_client_workers(texts: Mapping[str, str]) -> list[str]:
    """Return the named workers; empty for all workers of the cluster."""
    return [name.strip() for name in texts["clients.workers"].split(",") if name.strip()]


def has_encrypted_clients(texts: Mapping[str, str]) -> bool:
    """Return True if the clients' connection is encrypted and needs certificates."""
    return is_encrypted(texts["clients.scheduler"].strip())


def put_clients(draft: PlanDraft, texts: Mapping[str, str]) -> None:
    """Put the cluster of the clients into a draft of a plan.

    Clients on this computer need no key.

    Args:
        draft: The draft.
        texts: Key to its text.
    """
    if texts[CLUSTER] != "yes":
        return
    if not texts["clients.scheduler"].strip():
        hint = _("Write tls://HOST:8786, or tcp://127.0.0.1:8786.")
        draft.problems.add(SpecError("clients.scheduler", _("none given"), hint=hint))
        return
    put_texts(draft, texts, *(f"clients.{name}" for name in ("scheduler", "workers", "on_loss")))
    if has_encrypted_clients(texts):
        put_texts(draft, texts, *(f"clients.{name}" for name in CLIENT_FILES))
    else:
        clients, agreed = partial(ClientsSpec, texts["clients.scheduler"].strip()), texts[INSECURE] == "yes"
        draft.problems.take(lambda: refuse_unencrypted(clients(), agreed=agreed), None, "clients.scheduler")


def parameter_text(value: ParameterValue) -> str:
    """Return a parameter's value as typed text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str) else number_text(value)


def number_text(value: float) -> str:
    """Return a number as text that reads back exactly, without a needless `.0`."""
    return str(int(value)) if value == int(value) else repr(value)

"""Settings of MariaDB and MySQL with which no load can run, for check-database and sweeps alike."""

from collections.abc import Mapping
from typing import NamedTuple

from scheduler.errors import DatabaseUnsuitable

_OFF = frozenset({"", "OFF", "0", "FALSE", "NO"})


class _RefusedSetting(NamedTuple):
    """A setting that stops every load.

    Attributes:
        names: Its names: versions differ.
        allowed: Values that do no harm, in capitals.
        reason: The consequence, a whole clause.
        hint: The remedy; `{name}` is replaced by the setting.
    """

    names: tuple[str, ...]
    allowed: frozenset[str]
    reason: str
    hint: str


_READ_ONLY = "Name the primary, or run SET GLOBAL {name} = OFF there if this server may be written to."
_REFUSALS = (
    _RefusedSetting(
        ("super_read_only", "read_only", "innodb_read_only"), _OFF, "the server accepts no changes", _READ_ONLY
    ),
    _RefusedSetting(
        ("transaction_read_only", "tx_read_only"),
        _OFF,
        "transactions of this server are read-only by default",
        _READ_ONLY,
    ),
    # Explicit locks and CREATE TABLE ... SELECT are errors then (Percona XtraDB Cluster, "Strict mode"). MASTER allows
    # the locks only.
    _RefusedSetting(
        ("pxc_strict_mode",),
        frozenset({"DISABLED", "PERMISSIVE"}),
        "the cluster forbids locks that DomTune needs",
        "Name a server outside the cluster, or run SET GLOBAL {name} = PERMISSIVE for the time of the sweep.",
    ),
)


def refuse_settings(settings: Mapping[str, str]) -> None:
    """Refuse a server whose settings stop every load; raises DatabaseUnsuitable with the setting's name.

    `innodb_force_primary_key` and `sql_require_primary_key` are not refused: each of our tables has a primary key.

    Args:
        settings: Variables of a session of ours, lower-case names to values.
    """
    for refusal in _REFUSALS:
        for name in refusal.names:
            value = settings.get(name, "")
            if value and value.upper() not in refusal.allowed:
                raise DatabaseUnsuitable(f"{refusal.reason}: {name} is {value}", hint=refusal.hint.format(name=name))

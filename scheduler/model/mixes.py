"""Loads that run together: what a mix is called, and its members.

A load by itself has the name of its kind, `osdb-ir`. In a mix `noon` the same kind is another load, with users, rates
and a check of its own: `noon/osdb-ir`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from scheduler.errors import SpecError
from scheduler.model.studies import SPLIT

if TYPE_CHECKING:
    from scheduler.model.spec import LoadSpec

_BETWEEN = "/"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,23}", re.ASCII)


def member(mix: str, kind: str) -> str:
    """Return the name of a load; `mix` is empty for one that runs alone."""
    return f"{mix}{_BETWEEN}{kind}" if mix else kind


def kind_in(name: str) -> str:
    """Return the kind of a load by its name."""
    return name.rpartition(_BETWEEN)[2]


def mix_in(name: str) -> str:
    """Return the mix that a load is a member of; empty for one that runs alone."""
    return name.rpartition(_BETWEEN)[0]


def title_of(mix: Sequence[str]) -> str:
    """Return the name of what runs together: the mix's, or that of the one load that runs alone."""
    return mix_in(mix[0]) or mix[0]


def grouped(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return which of these loads run together, in order; one that runs alone is a mix of one."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(mix_in(name) or name, []).append(name)
    return tuple(tuple(group) for group in groups.values())


def refuse_mixes(mixes: Iterable[Sequence[str]], taken: Iterable[str]) -> None:
    """Refuse a mix of fewer than two loads, or with a name that is `taken`; raises SpecError."""
    for mix in mixes:
        name = mix_in(mix[0])
        if not name:
            continue
        check_name("mix.name", name, taken)
        if len(mix) < 2:
            problem = f"{name} has one load, {kind_in(mix[0])}"
            raise SpecError("mix.loads", problem, hint="Name two loads or more: each runs alone without a mix.")


def refuse_mixed(loads: Sequence["LoadSpec"], study: str, *, remote: bool) -> None:
    """Refuse loads of which some run together where that cannot be; raises SpecError.

    Args:
        loads: All loads.
        study: Name of the study.
        remote: The users run on other computers.
    """
    if study != SPLIT:
        problem = f"the study {study!r} has its loads run one at a time"
        raise SpecError("mix", problem, hint=f"Leave the mix out, or take the study {SPLIT!r}.")
    if remote:
        problem = "the users of a mix run on this computer only, not on a cluster's workers"
        raise SpecError("mix", problem, hint="Leave the mix out, or [clients].")
    described = {load.kind: msgspec.structs.replace(load, mix="") for load in reversed(loads)}
    other = [load.name for load in loads if msgspec.structs.replace(load, mix="") != described[load.kind]]
    if other:
        problem = f"{other[0]} is described otherwise than elsewhere in the same plan"
        raise SpecError("mix", problem, hint="A kind of load has the same users and parameters wherever it runs.")


def refuse_simulated(mixes: Iterable[Sequence[str]]) -> None:
    """Refuse a mix on a simulated machine; raises SpecError."""
    for mix in mixes:
        if len(mix) > 1:
            problem = f"a simulated machine has one class of users at a time, and {title_of(mix)} has {len(mix)}"
            hint = "What loads do to each other is measured, not simulated: leave the mix out, or take host = 'local:'."
            raise SpecError("mix", problem, hint=hint)


def check_name(field: str, name: str, taken: Iterable[str]) -> None:
    """Refuse what is no name of a mix, or that of something else; raises SpecError."""
    if not _NAME.fullmatch(name):
        hint = "Take up to 24 letters, digits, - and _, a letter first: noon, for example."
        raise SpecError(field, f"{name[:40]!r} is no name of a mix", hint=hint)
    if name in taken:
        raise SpecError(field, f"{name!r} is a load already", hint="Take another name: noon, for example.")

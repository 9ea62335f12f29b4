"""Rules for a mix: loads that run together in one trial."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.model.load import LoadSpec
from scheduler.model.load_name import LoadName
from scheduler.model.studies import SPLIT
from scheduler.model.study_kind import StudyKind
from scheduler.translation import _

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,23}", re.ASCII)


def refuse_mixes(mixes: Iterable[Sequence[LoadName]], taken: Iterable[str]) -> None:
    """Refuse a mix of fewer than two loads, or with a bad name.

    Args:
        mixes: Names of the loads of each mix.
        taken: Names that a mix cannot have.

    Raises:
        SpecError: A mix has fewer than two loads, or its name is not allowed.
    """
    for mix in mixes:
        name = mix[0].mix
        if not name:
            continue
        check_mix_name("mix.name", name, taken)
        if len(mix) < 2:
            problem = _("{name} has one load, {kind}").format(name=name, kind=mix[0].kind)
            raise SpecError("mix.loads", problem, hint=_("Name two loads or more: each runs alone without a mix."))


def refuse_unfit_mix(loads: Sequence[LoadSpec], study: StudyKind, *, remote: bool) -> None:
    """Refuse a mix that the study or the clients do not support.

    Args:
        loads: All loads.
        study: The record of the study.
        remote: True when the users run on other computers.

    Raises:
        SpecError: The study has no mixes, the users are remote, or a kind has different values in two mixes.
    """
    if not study.recommends_split:
        problem = _("the study {study!r} has its loads run one at a time").format(study=study.name)
        raise SpecError("mix", problem, hint=_("Leave the mix out, or take the study {split!r}.").format(split=SPLIT))
    if remote:
        problem = _("the users of a mix run on this computer only, not on a cluster's workers")
        raise SpecError("clients", problem, hint=_("Leave the mix out, or [clients]."))
    described = {load.kind: msgspec.structs.replace(load, mix="") for load in reversed(loads)}
    other = [load.name for load in loads if msgspec.structs.replace(load, mix="") != described[load.kind]]
    if other:
        problem = _("{other} is described otherwise than elsewhere in the same plan").format(other=other[0])
        raise SpecError("mix", problem, hint=_("A kind of load has the same users and parameters wherever it runs."))


def refuse_simulated_mix(mixes: Iterable[Sequence[LoadName]]) -> None:
    """Refuse a mix on a simulated machine; raise SpecError."""
    for mix in mixes:
        if len(mix) > 1:
            problem = _("a simulated machine has one class of users at a time, and {mix} has {count}").format(
                mix=mix[0].mix, count=len(mix)
            )
            hint = _("Simulated hosts cannot run mixes. Remove the mix, or use host = 'local:'.")
            raise SpecError("mix", problem, hint=hint)


def check_mix_name(field: str, name: str, taken: Iterable[str]) -> None:
    """Refuse a name that a mix cannot have.

    Args:
        field: Path of the key, for the error.
        name: The name.
        taken: Names that a mix cannot have.

    Raises:
        SpecError: The name has other characters or too many, or is taken.
    """
    if not _NAME.fullmatch(name):
        hint = _("Take up to 24 letters, digits, - and _, a letter first, for example noon.")
        raise SpecError(field, _("{name!r} is no name of a mix").format(name=name[:40]), hint=hint)
    if name in taken:
        raise SpecError(
            field, _("{name!r} is a load already").format(name=name), hint=_("Take another name, for example noon.")
        )

"""What a study is compared with: which base suits which study, and why not."""

from collections.abc import Iterable

from scheduler.errors import SpecError
from scheduler.model.setting import DIRECT, Setting, VcpusSetting
from scheduler.model.studies import OVERHEAD, SCALE_UP
from scheduler.model.urls import redact_url, refuse_password


def refuse_reference(base: str, study: str, settings: Iterable[Setting]) -> None:
    """Refuse a base that means nothing in a study, or that cannot be had at its settings; raises SpecError.

    Args:
        base: As a plan has it: a URL, `direct`, or empty.
        study: Name of the study.
        settings: What is measured.
    """
    refuse_password(base, "base")
    if base and study not in (OVERHEAD, SCALE_UP):
        raise SpecError("base", "means nothing where no base is compared with", hint="Leave it out.")
    if base == DIRECT and study == OVERHEAD:
        problem = f"{DIRECT!r} is what it is where none is named"
        raise SpecError("base", problem, hint="Leave it out, or name another database.")
    if study == SCALE_UP:
        _refuse_unequal_vcpus(base, [each for each in settings if isinstance(each, VcpusSetting)])


def _refuse_unequal_vcpus(base: str, sizes: list[VcpusSetting]) -> None:
    """Refuse a base that cannot have the guest's numbers of CPUs, each of them; raises SpecError."""
    if base not in ("", DIRECT):
        problem = f"{redact_url(base)!r} is a server of its own, which cannot be given as many CPUs as the guest has"
        hint = f"Write base = {DIRECT!r} on local:. On another machine make a study of its own, and compare both."
        raise SpecError("base", problem, hint=hint)
    guests, bases = ({each.vcpus for each in sizes if each.base is side} for side in (False, True))
    if bases != (guests if base else set[int]()):
        problem = "is measured at the numbers of vCPUs of the guest, or not at all"
        raise SpecError("base", problem, hint="Have both at the same numbers, or leave it out.")

"""What `domtune follow` refuses before anything is written, and what it warns of."""

import argparse
import math
import sys

from scheduler.errors import ParameterRefused, SpecError
from scheduler.follow.current_split import PairParams, derive_current_split, params_for_split
from scheduler.follow.split_rule import log_ratio_of, rounded_split
from scheduler.hosts.protocols import Host
from scheduler.model.number_texts import format_percent
from scheduler.model.scheduler_params import MIN_QUOTA_US, CgroupParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, Split, parse_split
from scheduler.run.first_look import FirstLook
from scheduler.run.follow_actor import FollowPlan
from scheduler.shares.cpu_floors import LEAST_IO, LOW_IO

SIMULATED = ("sim:",)
_ACCOUNTED = (0, 10, 50)


def parse_static(text: str, ends: tuple[Split, Split]) -> float | None:
    """Return the static split; raises SpecError for one that may never be set."""
    if not text:
        return None
    low, high = map(log_ratio_of, ends)
    ratio = log_ratio_of(parse_split(text, "--static"))
    if not low <= ratio <= high:
        hint = "Name one of the range, or another --range."
        raise SpecError("--static", f"{text} is outside of {ends[0].label}..{ends[1].label}", hint=hint)
    return ratio


def parse_account(arguments: argparse.Namespace) -> int:
    """Return how much is accounted for: of what nobody counts, nothing unless it is asked for."""
    if arguments.account is None:
        counts = arguments.database or arguments.url.startswith(SIMULATED)
        return _ACCOUNTED[-1] if counts else 0
    if arguments.account not in _ACCOUNTED:
        raise SpecError("--account", f"{arguments.account} is not one of {', '.join(map(str, _ACCOUNTED))}")
    return arguments.account


def refuse_unasked(arguments: argparse.Namespace) -> None:
    """Refuse to write where nobody can be asked, and nobody has said yes."""
    asks = arguments.ask if arguments.json else is_at_terminal()
    if not (arguments.yes or asks):
        hint = "Add --yes where the range may be set; without --json, at a terminal, you are asked."
        raise SpecError("--yes", "is missing: following writes to the host, and nobody can be asked here", hint=hint)


def is_at_terminal() -> bool:
    """Return whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def check_range_ends(host: Host, look: FirstLook, plan: FollowPlan) -> tuple[str, ...]:
    """Return what to warn of at the ends of the range; raises SpecError for one that cannot be set there."""
    warnings: list[str] = []
    for end in (plan.bounds.low, plan.bounds.high):
        label = rounded_split(end).label
        params = params_for_split(look.standing, end, look.facts)
        short = [each for each in params.values() if isinstance(each, CgroupParams) and _is_too_short(each)]
        _refuse_unsettable(host, params, label)
        achieved = derive_current_split(dict(params), look.facts).allowed
        if short or abs(achieved.log_ratio - end) > math.log(1.25):
            both = "; ".join(f"{domain} {look.standing.params[domain].words}" for domain in (IO, GUEST))
            hint = "Name a narrower --range, or set larger limits or weights first."
            raise SpecError("--range", f"{label} cannot be made of what is set ({both})", hint=hint)
        part = achieved.io_cpus if look.standing.mode is Mode.PARTITION else 1.0
        if part < float(LEAST_IO):
            problem = (
                f"{label} would leave the I/O domain {format_percent(part)} of a CPU, under "
                f"{format_percent(float(LEAST_IO))}"
            )
            raise SpecError("--range", problem, hint="Name a range with more for the I/O domain.")
        if part < float(LOW_IO):
            warnings.append(
                f"{label} would leave the I/O domain {format_percent(part)} of a CPU: the host itself is slow then."
            )
    return tuple(warnings)


def _refuse_unsettable(host: Host, params: PairParams, label: str) -> None:
    """Ask the host's dialect, which touches nothing; raises SpecError."""
    for domain, wanted in params.items():
        try:
            host.commands(domain, wanted)
        except ParameterRefused as error:
            hint = error.hint or "Name a narrower --range."
            raise SpecError("--range", f"{label} cannot be set here: {error}", hint=hint) from error


def _is_too_short(params: CgroupParams) -> bool:
    return params.quota_us is not None and params.quota_us < MIN_QUOTA_US

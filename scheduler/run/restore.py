"""Restore of original parameters, with verification of each value."""

import logging
import math
from collections.abc import Iterable, Mapping

from scheduler.errors import ForeignValue, RestoreFailed, SchedulerError, WriteNotVerified
from scheduler.hosts.protocols import Host
from scheduler.model.placement import PlacementParams
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.run.foreign_values import foreign_value_error, is_foreign
from scheduler.shares.domain_limits import limit_cpus
from scheduler.shares.share_model import HostMachine
from scheduler.translation import _

log = logging.getLogger(__name__)

Originals = Mapping[DomainId, SchedParams | None]
Ours = Mapping[DomainId, tuple[SchedParams, ...]]


def unique_present(*params: SchedParams | None) -> tuple[SchedParams, ...]:
    """Return the parameters that are not None, each once."""
    return tuple(dict.fromkeys(each for each in params if each is not None))


def params_words(params: SchedParams | None) -> str:
    """Return parameters as text for people."""
    return _("nothing: the domain does not exist") if params is None else params.words


def write_and_verify(host: Host, domain: DomainId, wanted: SchedParams | None) -> None:
    """Write parameters and read them back.

    Args:
        host: The host.
        domain: The domain.
        wanted: Parameters to write; None to remove the domain.

    Raises:
        WriteNotVerified: Another value was read back.
    """
    host.write(domain, wanted)
    got = host.read(domain)
    if got != wanted:
        raise _write_error(domain, wanted, got)


def _write_error(domain: DomainId, wanted: SchedParams | None, got: SchedParams | None) -> WriteNotVerified:
    return WriteNotVerified(
        _("{domain}: wrote {params_words}, but it reads back {params_words_2}").format(
            domain=domain, params_words=params_words(wanted), params_words_2=params_words(got)
        ),
        hint=_("Does another program manage the same domain? The host is restored now."),
    )


def restore_originals(host: Host, originals: Originals, ours: Ours | None = None) -> None:
    """Restore every domain that can be restored; raise RestoreFailed for the others.

    An error in one domain, even a bug, must not prevent the restore of the other.

    Args:
        host: The host.
        originals: Domain to its original parameters.
        ours: Domain to parameters that we may have set. Any other value in these domains stays.

    Raises:
        RestoreFailed: A domain is not restored.
    """
    failed, hints = dict[str, str](), dict[str, str]()
    for domain, error in _restore_each(host, _order_losers_first(host, originals, ours or {}), ours or {}):
        failed[domain] = str(error)
        if isinstance(error, ForeignValue):
            hints[domain] = error.hint
    if failed:
        details = "; ".join(f"{domain}: {reason}" for domain, reason in failed.items())
        raise RestoreFailed(
            _("{count} of {count_2} domains could not be restored ({details})").format(
                count=len(failed), count_2=len(originals), details=details
            ),
            failed,
            hint=next(
                iter(hints.values()), _("Run 'domtune restore' once the cause is gone; the undo record is kept.")
            ),
            left=hints,
        )


def _restore_each(
    host: Host, originals: Iterable[tuple[DomainId, SchedParams | None]], ours: Ours
) -> Iterable[tuple[str, SchedulerError]]:
    for domain, original in originals:
        try:
            _refuse_foreign_value(host, domain, original, ours.get(domain, ()))
            _restore_domain(host, domain, original)
        except SchedulerError as error:
            yield domain, error
        except Exception as error:
            log.warning("a bug kept %s from being restored", domain, exc_info=True)
            yield domain, SchedulerError(_("a bug: {error}; details are in the log").format(error=type(error).__name__))


def _refuse_foreign_value(
    host: Host, domain: DomainId, original: SchedParams | None, ours: tuple[SchedParams, ...]
) -> None:
    """Raise ForeignValue for a domain of a followed host that another program has set."""
    got = host.read(domain) if ours else None
    if got is not None and is_foreign(got, unique_present(original, *ours)):
        raise foreign_value_error(domain, got, ours[-1], original)


def _restore_domain(host: Host, domain: DomainId, original: SchedParams | None) -> None:
    # A missing domain has nothing to restore, and an unchanged domain needs no write. Absence is always
    # written, because a half-created domain also reads as absent.
    if original is None or host.read(domain) not in (None, original):
        write_and_verify(host, domain, original)
    host.release_domain(domain)
    if (got := host.read(domain)) not in (None, original):  # moving processes out of a domain may have changed values
        raise _write_error(domain, original, got)


def _order_losers_first(host: Host, originals: Originals, ours: Ours) -> list[tuple[DomainId, SchedParams | None]]:
    """Return the originals of a followed host, the domain that loses CPU first.

    So both domains together never have more than their original CPU. Placements stay last, in their order.
    """
    found = list(originals.items())
    domains = [each for each in found if not isinstance(each[1], PlacementParams)]
    placements = [each for each in found if isinstance(each[1], PlacementParams)]
    return sorted(domains, key=lambda each: _gained_cpus(host, *each)) + placements if ours else found


def _gained_cpus(host: Host, domain: DomainId, original: SchedParams | None) -> float:
    try:
        got = host.read(domain)
    except SchedulerError:  # reported by the restore of this domain
        return 0.0
    if got is None or original is None:
        return 0.0
    now, then = (limit_cpus(params, domain, HostMachine()) for params in (got, original))
    return (math.inf if then is None else then) - (math.inf if now is None else now) if now != then else 0.0

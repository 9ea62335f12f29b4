"""Another split of what is set on a host: its limits, or its weights, divided anew; what `domtune watch` names."""

import math

from scheduler.errors import HostNotUsable
from scheduler.follow.current_split import derive_current_split, params_for_split
from scheduler.hosts.protocols import Host
from scheduler.model.spec import Mode
from scheduler.model.split import Split
from scheduler.run.lease import DOMAINS
from scheduler.shares.measured_params import MeasuredParams

_NO_SPLIT = (
    "Limit both domains or none with the host's own tools, or apply the split of a run: 'domtune apply RUN'. "
    "A bundle's rollback.sh takes away the limit that its persist.sh keeps."
)


def params_for_ratio(host: Host, split: Split) -> MeasuredParams:
    """Return the parameters that divide what both domains have now by another ratio.

    Raises:
        HostNotUsable: What is set is no split.
        HostError: It cannot be read.
    """
    facts = host.facts()
    try:
        standing = derive_current_split({domain: host.read(domain) for domain in DOMAINS}, facts)
    except HostNotUsable as error:
        raise HostNotUsable(str(error), hint=_NO_SPLIT) from error
    params = params_for_split(standing, math.log(split.io / split.guest), facts)
    what = "limits" if standing.mode is Mode.PARTITION else "weights"
    remark = f"No sweep measured this here: both domains' {what} together stay as they are, and are divided anew."
    return MeasuredParams(params=params, remark=remark)

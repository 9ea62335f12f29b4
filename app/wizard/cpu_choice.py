"""Choice of the shared CPUs in the wizard; no Qt here."""

from collections.abc import Iterable, Mapping

from app.wizard import input_parsing
from scheduler.errors import SpecError
from scheduler.model.host_properties import DomainProperties, HostProperties
from scheduler.model.other_guests import LEAVE, OtherGuest, find_competing
from scheduler.model.plan_fields import plan_key
from scheduler.model.shared_set import AS_FOUND, AUTO, POOL, CpusSpec, choose_shared_set, place_domains
from scheduler.model.split import GUEST, Mode
from scheduler.translation import _

SET, COUNT, OTHERS = "cpus.set", "cpus.count", "cpus.others"
_MOST_NODES = 3  # nodes with a preset of their own


def read_cpus(texts: Mapping[str, str]) -> CpusSpec:
    """Return the typed CPUs of a plan.

    Args:
        texts: Key of the plan to its text.

    Raises:
        SpecError: A text is no legal value.
    """
    count = texts[COUNT].strip()
    declared = plan_key(COUNT)
    number = input_parsing.parse_parameter(declared, count, COUNT) if count else 0
    return CpusSpec(texts[SET].strip() or AUTO, int(number), texts.get(OTHERS, "") or LEAVE)


def place_host(facts: HostProperties, texts: Mapping[str, str], modes: Iterable[Mode]) -> HostProperties:
    """Return the host with the shared set of the typed plan.

    A plan that does not fit the host leaves the host unchanged.

    Args:
        facts: The host with its original settings.
        texts: Key of the plan to its text.
        modes: Modes in which the plan divides the CPUs; empty for none.
    """
    try:
        return place_domains(facts, choose_shared_set(facts, read_cpus(texts), modes))
    except SpecError:
        return facts


def list_movable_guests(facts: HostProperties, texts: Mapping[str, str], modes: Iterable[Mode]) -> list[OtherGuest]:
    """Return the other guests that can be kept off the CPUs, the busiest first.

    Empty where the host moves no other guests, where the plan confines no domain, and where no other guest may run on
    the shared CPUs.

    Args:
        facts: The host with its original settings.
        texts: Key of the plan to its text.
        modes: Modes in which the plan divides the CPUs; empty for none.
    """
    modes = tuple(modes)
    if not modes or not facts.placement.moves_others or texts[SET].strip() == AS_FOUND:
        return []
    placed = place_host(facts, {**texts, OTHERS: LEAVE}, modes)
    return find_competing(facts.others, placed.shared_cpus)


def list_presets(facts: HostProperties) -> dict[str, dict[str, str]]:
    """Return the texts of each preset of the shared set by its name.

    The names are `auto`, `node 0`, `one`, `pool` and `as-found`.

    Nodes have presets where the host has several; the guest's node is first, and at most three are offered.

    Args:
        facts: The host with its original settings.
    """
    known: dict[str, tuple[str, str]] = {AUTO: (AUTO, "")}
    for node in _list_nodes(facts):
        known[f"node {node}"] = (_("node {node}").format(node=node), "")
    known |= {"one": (AUTO, "1"), POOL: (POOL, ""), AS_FOUND: (AS_FOUND, "")}
    return {name: {SET: chosen, COUNT: count} for name, (chosen, count) in known.items()}


def _list_nodes(facts: HostProperties) -> list[int]:
    """Return the nodes with open CPUs, the guest's nodes first; empty for one node."""
    nodes = {cpu.number: cpu.node for cpu in facts.topology}
    known = sorted({nodes[cpu] for cpu in facts.placement.choices if cpu in nodes})
    used = [nodes[cpu] for domain in facts.domains if domain.id == GUEST for cpu in domain.cpus if cpu in nodes]
    known.sort(key=lambda node: (-used.count(node), node))
    return known[:_MOST_NODES] if len(known) > 1 else []


def is_everywhere(domain: DomainProperties, facts: HostProperties) -> bool:
    """Return True if a domain may run on every CPU of the host.

    Args:
        domain: The domain.
        facts: Its host.
    """
    return len(domain.cpus) >= facts.pcpus

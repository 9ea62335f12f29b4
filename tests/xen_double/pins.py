"""`xl vcpu-pin` of the double, with the traps of Xen 4.17: it cuts masks without a word, and can fail with code 0."""

from tests.xen_double.schedulers import Refused, find

_DOM0_MOVES = [4, 13]


def pool_cpus(state, name):
    """Return the CPUs of a pool; the first pool has what no other pool has."""
    if name in state["pools"]:
        return state["pools"][name]
    taken = [cpu for cpus in state["pools"].values() for cpu in cpus]
    return [cpu for cpu in range(state["cpus"]) if cpu not in taken]


def masks(domain, kind, state):
    """Return the mask of each vCPU as xl prints it; `hard` of the domain is that of vCPUs never pinned."""
    default = domain["hard"] if kind == "hard" else "all"
    return [shown(domain["pins"][kind].get(vcpu, default), state) for vcpu in range(domain["vcpus"])]


def shown(text, state):
    """As print_bitmap does: a mask of all CPUs is `all`."""
    cpus = numbers(text)
    if cpus is None or cpus >= set(range(state["cpus"])):
        return "all"
    runs = []
    for cpu in sorted(cpus & set(range(state["cpus"]))):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(f"{first}-{last}" if last > first else f"{first}" for first, last in runs) or "none"


def numbers(text):
    """Return the CPUs of a mask; None for all of them."""
    if text == "all":
        return None
    cpus = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def vcpu_pin(state, words):
    """`xl vcpu-pin [-i] DOM VCPU HARD [SOFT]`."""
    ignores = words[0] == "-i"
    number, vcpu, hard, *soft = words[1:] if ignores else words
    domain = find(state, number)
    if vcpu != "all" and int(vcpu) >= domain["vcpus"]:
        fail(domain, vcpu, "Invalid argument")
    state["pin_calls"] = [*state.get("pin_calls", []), list(words)]
    if state["lost_pins"]:
        return
    if state["busy_pins"]:
        state["busy_pins"] -= 1
        fail(domain, vcpu, "Device or resource busy")
    if domain["domid"] == 0 and "dom0_vcpus_pin" in state["boot"] and state["version"] < _DOM0_MOVES:
        fail(domain, vcpu, "Invalid argument")
    cut = set(state["mask"]) if state["mask"] and not ignores else set(range(4096))
    wanted = numbers(hard)
    kept = cut if wanted is None else wanted & cut
    if not kept & set(pool_cpus(state, domain["pool"])):
        fail(domain, vcpu, "Invalid argument")
    text = hard if len(kept) == 4096 or kept == wanted else ",".join(map(str, sorted(kept)))
    for each in range(domain["vcpus"]) if vcpu == "all" else [int(vcpu)]:
        domain["pins"]["hard"][each] = text
        if soft and soft[0] != "-":
            domain["pins"]["soft"][each] = soft[0]


def fail(domain, vcpu, why):
    """As xl 4.17 does; for `all` it exits with 0."""
    if vcpu != "all":
        raise Refused(
            f"libxl: error: libxl_sched.c:62:libxl__set_vcpuaffinity: Domain {domain['domid']}:Setting vcpu affinity: "
            f"{why}\nCould not set affinity for vcpu `{vcpu}'."
        )

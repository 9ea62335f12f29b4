"""`xl`, `xentop`, `xenstore-list`, `xenstore-read` and `virsh` on a state file; with next to no imports.

usage: ... REPOSITORY STATE NAME ARGUMENT...

Usually `answer_server` calls `run`. Only programs that take time have an interpreter of their own.

Reproduced on purpose: lists that answer another scheduler with nothing and 0; `sched-rtds` without -v showing
defaults; text that is no number taken for 0; -1 that changes nothing; "no limit"; offline vCPUs; the hypervisor that
sets Dom0's weight by itself. Texts are those of Xen 4.17.
"""

import sys
import time

from tests.xen_double.pins import masks, pool_cpus, vcpu_pin
from tests.xen_double.schedulers import Refused, sched, weigh
from tests.xen_double.state_file import Locked, read

LIST = "Name                                        ID   Mem VCPUs\tState\tTime(s)"
TOP = (
    "      NAME  STATE   CPU(sec) CPU(%)     MEM(k) MEM(%)  MAXMEM(k) MAXMEM(%) VCPUS NETS NETTX(k) NETRX(k) VBDS"
    "   VBD_OO   VBD_RD   VBD_WR  VBD_RSECT  VBD_WSECT SSID"
)


def seconds(domain):
    return domain["load"] * (time.time() - domain["born"])


def xl_list(state, words):
    verbose, pools = "-v" in words, "-c" in words
    print(LIST + ("   UUID                            Reason-Code\tSecurity Label" if verbose else ""), end="")
    print("         Cpupool" if pools else "")
    for each in state["domains"]:
        running = each.get("state", "r-----" if each["domid"] == 0 else "-b----")
        line = f"{each['name']:<40} {each['domid']:5d} {640:5d} {each['online']:5d}     {running}  {seconds(each):8.1f}"
        line += f" {each['uuid']} {'-':>8} {'-':>16}" if verbose else ""
        print(line + (f"{each['pool']:>16}" if pools else ""))


def xl_vcpu_list(state, words):
    print("Name                                ID  VCPU   CPU State   Time(s) Affinity (Hard / Soft)")
    for each in state["domains"]:
        if words and words[0] not in (str(each["domid"]), each["name"]):
            continue
        for number in range(each["vcpus"]):
            online = number < each["online"]
            where = f"{0:>4} {'-b-':>5}" if online else f"{'-':>4} {'--p':>5}"
            spent = seconds(each) if online else 0.0
            placed = " / ".join(masks(each, kind, state)[number] for kind in ("hard", "soft"))
            print(f"{each['name']:<32} {each['domid']:5d} {number:5d} {where} {spent:9.1f}  {placed}")


def xl_info(state, words):
    major, minor = state["version"]
    print(f"host                   : dom0\nrelease                : 6.1.0\nnr_cpus                : {state['cpus']}")
    threads, nodes = state["threads"], state["nodes"]
    print(
        f"max_cpu_id             : {state['cpus'] - 1}\nthreads_per_core       : {threads}\nfree_cpus              : 0"
    )
    if "-n" in words:
        print("cpu_topology           :\ncpu:    core    socket     node")
        each = state["cpus"] // nodes
        for cpu in range(state["cpus"]):
            print(f"{cpu:3d}:    {cpu % each // threads:4d}     {cpu // each:4d}     {cpu // each:4d}")
        print("numa_info              :\nnode:    memsize    memfree    distances")
        for node in range(nodes):
            print(
                f"{node:4d}:    {2047:6d}     {616:6d}      "
                + ",".join("10" if n == node else "20" for n in range(nodes))
            )
    print(f"xen_major              : {major}\nxen_minor              : {minor}")
    print(f"xen_version            : {major}.{minor}.7")
    print(
        f"xen_scheduler          : {state['scheduler']}\nxen_commandline        : dom0_mem=768M,max:768M{state['boot']}"
    )


def xl_cpupool_list(state, words):
    pools = {name: pool_cpus(state, name) for name in ("Pool-0", *state["pools"])}
    if "-c" in words:
        print("Name               CPU list")
        for name, cpus in pools.items():
            print(f"{name:<19}{','.join(map(str, cpus))}")
        return
    print("Name               CPUs   Sched     Active   Domain count")
    for name, cpus in pools.items():
        inside = sum(each["pool"] == name for each in state["domains"])
        print(f"{name:<19}{len(cpus):3d} {state['scheduler']:>9}       y          {inside}")


def xl_vcpu_set(state, words):
    """As xl 4.17 does: it tells the guest, which takes its time, and says nothing of numbers beyond its most."""
    domain = next((each for each in state["domains"] if str(each["domid"]) == words[0]), None)
    if domain is None:
        raise Refused(f"{words[0]} is an invalid domain identifier (rc=-6)")
    wanted = int(words[1])
    if wanted > state["cpus"] and wanted > domain["online"]:
        raise Refused(
            f"You are overcommmitting! You have {state['cpus']} physical CPUs and want {wanted} vCPUs! Aborting"
        )
    if not 1 <= wanted <= domain["vcpus"]:
        raise Refused(f"libxl_set_vcpuonline failed domid={words[0]} vcpus={wanted}")
    state["vcpu_sets"] = state.get("vcpu_sets", 0) + 1
    if not state.get("stubborn") and not (state.get("stuck") and wanted > domain["online"]):
        domain["asked"], domain["since"] = wanted, time.time()


def follow(state):
    """Let guests take vCPUs into use, and out of it, that they were asked to some time ago."""
    for each in state["domains"]:
        if "asked" in each and time.time() - each["since"] >= state.get("follows_s", 0.0):
            each["online"] = each.pop("asked")


def xl_dmesg(state, _):
    print(state["dmesg"])


COMMANDS = {
    "list": xl_list,
    "vcpu-list": xl_vcpu_list,
    "info": xl_info,
    "cpupool-list": xl_cpupool_list,
    "dmesg": xl_dmesg,
    "vcpu-set": xl_vcpu_set,
    "vcpu-pin": vcpu_pin,
}


def xl(state, words):
    state["calls"] += 1
    follow(state)
    if words[0] in COMMANDS:
        COMMANDS[words[0]](state, words[1:])
    else:
        sched(state, words[0], words[1:])


def xenstore_list(state, _):
    print("\n".join(str(each["domid"]) for each in state["domains"]))


def xenstore_read(state, words):
    for each in state["domains"]:
        if each["domid"] and words[0] == f"/local/domain/{each['domid']}/vm":
            print(f"/vm/{each['uuid']}")
            return
    raise Refused(f"xenstore-read: couldn't read path {words[0]}")


def virsh(state, words):
    """`virsh -q -c xen:///system WORD ...` with libvirt's own texts (9.0)."""
    assert words[:3] == ["-q", "-c", "xen:///system"], words
    word, rest = words[3], words[4:]
    if not state["libvirtd"]:
        raise Refused("error: failed to connect to the hypervisor\nerror: Failed to connect socket")
    if word == "version":
        print("Compiled against library: libvirt 9.0.0\nUsing library: libvirt 9.0.0\nUsing API: Xen 9.0.0")
        print("Running hypervisor: Xen 4.17.0\nRunning against daemon: 9.0.0")
        return
    domain = next((each for each in state["domains"] if str(each["domid"]) == rest[0]), None)
    if domain is None or domain["name"] in state["unknown_to_libvirt"]:
        raise Refused(f"error: failed to get domain '{rest[0]}'")
    if word == "domuuid":
        print(domain["uuid"])
        return
    assert word == "schedinfo", words
    sets = dict(pair.split("=") for flag, pair in zip(rest[1::2], rest[2::2], strict=True) if flag == "--set")
    state["by_libvirt"] = state.get("by_libvirt", 0) + 1
    time.sleep(state["slow_s"])  # noqa: TID251 -- a busy Dom0
    try:
        weigh(state, domain, {f"-{name[0]}": value for name, value in sets.items()})
    except Refused as refused:
        raise Refused(
            f"error: internal error: Failed to set scheduler parameters for domain '{rest[0]}' with libxenlight"
        ) from refused


def xentop(path):
    """Print a look every second until nobody reads."""
    before, at = {}, time.time()
    while True:
        state, now = read(path), time.time()
        print(TOP)
        for each in state["domains"]:
            if each["name"] == "(null)":  # libxenstat prunes what has no name in xenstore
                continue
            key = (each["name"], each["born"])
            spent = seconds(each)
            percent = 100 * (spent - before[key]) / (now - at) if key in before else 0.0
            before[key] = spent
            limit = "  no limit       n/a" if each["domid"] == 0 else "    656384      31.3"
            state_word = {"---sc-": "-s-c--", "--p---": "----p-"}.get(each.get("state", ""), "--b---")
            print(
                f"{each['name']:>10} {state_word} {int(spent):10d} {percent:6.1f} {655360:10d}   31.3 {limit} "
                f"{each['online']:5d}    1 {14:8d} {11:8d}    1        -     1346      226     115658       6968    0"
            )
        sys.stdout.flush()
        at = now
        time.sleep(1)  # noqa: TID251 -- as xentop does


PROGRAMS = {"xl": xl, "virsh": virsh, "xenstore-list": xenstore_list, "xenstore-read": xenstore_read}


def run(path, name, words, check=lambda state: None):
    """Run a program; print its output.

    Args:
        path: The state file.
        name: The program.
        words: Its arguments.
        check: Called with the state before anything is done; may raise.

    Raises:
        Refused: The program reports an error and exits with 1.
    """
    with Locked(path) as state:
        check(state)
        if "-w" in words or "-b" in words or "-p" in words or "--set" in words:
            open(f"{path}.changing", "a").close()  # noqa: PTH123 -- what is imported costs
        PROGRAMS[name](state, words)


def main():
    path, name, *words = sys.argv[2:]
    if name == "xentop":
        xentop(path)
    try:
        run(path, name, words)
    except Refused as refused:
        sys.exit(str(refused))

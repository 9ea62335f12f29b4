"""`xl sched-*` of the double: the tables, the ranges and the traps of Xen 4.17 (older ones by version)."""

import time

HEADERS = {
    "credit": "Name                                ID Weight  Cap",
    "credit2": "Name                                ID Weight  Cap",
    "rtds": "Name                                ID    Period    Budget  Extratime",
    "sedf": "Name                                ID Period  Slice Latency Extra Weight",
}
POOL = {
    "credit": "Cpupool Pool-0: tslice=30ms ratelimit=1000us migration-delay=0us",
    "credit2": "Cpupool Pool-0: ratelimit=1000us",
    "rtds": "Cpupool Pool-0: sched=RTDS",
    "sedf": "Cpupool Pool-0: sched=SEDF",
}
DEFAULT = [10_000, 4000, 1]


class Refused(Exception):
    """Printed to standard error; exit code 1."""


def sched(state, word, words):
    name = word.removeprefix("sched-")
    pool_only = "-s" in words and name != "sedf"  # there it is the slice
    options = {} if pool_only else dict(zip(words[::2], words[1::2], strict=False))
    if "-d" not in options:
        if name == state["scheduler"]:  # else nothing at all, and exit code 0
            print(POOL[name])
            if not pool_only:
                show(state, name, state["domains"], options)
        return
    domain = find(state, options["-d"])
    if len(options) > 1 + ("-v" in options):
        change(state, name, domain, options)
    elif name != state["scheduler"]:
        print(HEADERS[name])
        raise Refused(f"libxl_domain_sched_params_get returned {state['scheduler']} not {name}.")
    else:
        show(state, name, [domain], options)


def find(state, text):
    for each in state["domains"]:
        if str(each["domid"]) == text or (each["name"] == text and not text.isdigit()):
            return each
    if text.isdigit():
        raise Refused("libxl_domain_sched_params_set failed.")
    raise Refused(f"{text} is an invalid domain identifier (rc=-6)")


def show(state, name, domains, options):
    whole = name == "rtds" and "-v" in options
    print(HEADERS[name].replace(" ID ", " ID VCPU ") if whole else HEADERS[name])
    for each in domains:
        head = f"{each['name']:<33} {each['domid']:4d}"
        if name in {"credit", "credit2"}:
            print(f"{head} {each['weight']:6d} {each['cap']:4d}")
        elif name == "sedf":
            period, part, latency, extra, weight = each["sedf"]
            print(f"{head} {period:6.0f} {part:6.0f} {latency:7.0f} {extra:5d} {weight:6d}")
        elif whole:
            for number, vcpu in enumerate(each["rtds"]):
                print(f"{head} {number:4d} {vcpu[0]:9d} {vcpu[1]:9d} {'yes' if vcpu[2] else 'no':>10}")
        else:
            print(f"{head} {DEFAULT[0]:9d} {DEFAULT[1]:9d} {'yes':>10}")


def number(text):
    """As strtol does: what is no number is 0."""
    return int(text) if text.lstrip("-").isdigit() else 0


def change(state, name, domain, options):
    time.sleep(state["slow_s"])  # noqa: TID251 -- a busy Dom0
    if name != state["scheduler"]:
        raise Refused(
            f"libxl: error: libxl_sched.c:232:sched_{name}_domain_set: Domain {domain['domid']}:"
            f"Getting domain sched {name}: Invalid argument\nlibxl_domain_sched_params_set failed."
        )
    {"credit": weigh, "credit2": weigh, "rtds": budget, "sedf": slices}[name](state, domain, options)


def weigh(state, domain, options):
    if "-w" in options:
        weight = number(options["-w"])
        if not 1 <= weight <= 65_535:
            raise Refused(
                f"libxl: error: libxl_sched.c:445:sched_credit2_domain_set: Domain {domain['domid']}:Cpu weight out of "
                "range, valid values are within range from 1 to 65535\nlibxl_domain_sched_params_set failed."
            )
    if "-c" in options:
        cap = number(options["-c"])
        if cap > 100 * domain["vcpus"]:
            raise Refused(
                f"libxl: error: libxl_sched.c:455:sched_credit2_domain_set: Domain {domain['domid']}:Cpu cap out of "
                f"range, valid range is from 0 to {100 * domain['vcpus']} for specified number of vcpus\n"
                "libxl_domain_sched_params_set failed."
            )
        if cap >= 0:
            domain["cap"] = cap
    if "-w" in options:
        # XenServer's and XCP-ng's hypervisor computes Dom0's weight anew, whatever was asked for.
        domain["weight"] = 2560 if state["privileged"] and domain["domid"] == 0 else weight


def budget(state, domain, options):
    if "-v" not in options:
        raise Refused("Must specify VCPU.")
    if not {"-p", "-b", "-e"} <= set(options):
        raise Refused("Incorrect number of period, budget and extratime")
    period, part = number(options["-p"]), number(options["-b"])
    if part > period:
        raise Refused(
            f"libxl: error: libxl_sched.c:489:sched_rtds_validate_params: VCPU budget must be smaller than or equal to "
            f"period, but {part} > {period}\nlibxl_vcpu_sched_params_set_all failed."
        )
    wanted = [period, part, number(options["-e"])]
    if options["-v"] == "all":
        domain["rtds"] = [wanted] * domain["vcpus"]
    else:
        domain["rtds"][number(options["-v"])] = wanted


def slices(state, domain, options):
    extra = number(options.get("-e", "0"))
    if "-w" in options:
        domain["sedf"] = [100.0, 0.0, 0.0, extra, 0 if extra else number(options["-w"])]
        return
    if number(options.get("-s", "0")) == 0:
        raise Refused("libxl: error: libxl.c:4812:sched_sedf_domain_set: setting domain sched sedf: Invalid argument")
    domain["sedf"] = [float(options["-p"]), float(options["-s"]), float(options.get("-l", "0")), extra, 0]

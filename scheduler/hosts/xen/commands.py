"""Commands that read a Xen host.

The adapter calls these commands, and the sudo rule of `domtune host-setup` allows them.
"""

from collections.abc import Iterator

from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.grammar_lookup import SCHEDULERS, find_grammar
from scheduler.toolstacks.xen_tool import Version, XenTool

SELDOM_S = 3
"""Longest interval between two readings of xentop, s.

Beyond this interval the edges of splits blur.
"""

INFO, INFO_WITH_CPUS = ("info",), ("info", "-n")
LIST, LIST_WITH_UUIDS, LIST_WITH_POOLS = ("list",), ("list", "-v"), ("list", "-v", "-c")
VCPUS = ("vcpu-list",)
POOLS, POOLS_WITH_CPUS = ("cpupool-list",), ("cpupool-list", "-c")
LOG = ("dmesg",)
SPEED, IDLE = ("get-cpufreq-para", "0"), ("get-cpuidle-states", "0")  # of xenpm
NUMBER = "#"
"""Placeholder for the number of any domain."""

_OF_TOOL = (INFO, INFO_WITH_CPUS, LIST, LIST_WITH_UUIDS, LIST_WITH_POOLS, VCPUS, POOLS, POOLS_WITH_CPUS, LOG)
_VERSIONS: tuple[Version, ...] = ((4, 1), (4, 17))  # each form of a question that a grammar has
_XENSTORE_READ = ("/usr/bin/xenstore-read", "/usr/sbin/xenstore-read")


def xentop_arguments(every_s: int) -> Argv:
    """Return the arguments of xentop for a reading every `every_s` seconds.

    The range is 1..SELDOM_S.
    """
    return ("-b", "-f", "-d", str(every_s))


def vm_path(domid: int | str) -> str:
    """Return the xenstore path that holds a domain's UUID."""
    return f"/local/domain/{domid}/vm"


def pools_command(scheduler: str) -> str:
    """Return the tool's subcommand for a scheduler's table of pools and domains."""
    return f"sched-{scheduler}"


def reading_commands(programs: tuple[str, ...]) -> Iterator[Argv]:
    """Yield every command that reads a host.

    Args:
        programs: Absolute paths of the tools, `xl` and `xm`; the other programs are in the same folders.
    """
    for program in programs:
        yield from ((program, *words) for words in _OF_TOOL)
        yield (program, *VCPUS, NUMBER)
        for scheduler in SCHEDULERS:
            yield (program, pools_command(scheduler))
            tools = [XenTool((program,), program.rpartition("/")[2], version) for version in _VERSIONS]
            yield from (find_grammar(scheduler).ask(tool, NUMBER) for tool in tools)
    for folder in dict.fromkeys(program.rpartition("/")[0] for program in programs):
        yield from ((f"{folder}/xentop", *xentop_arguments(every_s)) for every_s in range(1, SELDOM_S + 1))
        yield from ((f"{folder}/xenpm", *words) for words in (SPEED, IDLE))
    yield from ((program, vm_path(NUMBER)) for program in _XENSTORE_READ)

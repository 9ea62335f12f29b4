"""Whether a host's CPU keeps its speed and how deep it sleeps, as `xenpm` tells (tools/misc/xenpm.c); pure."""

import re
from collections.abc import Iterator

from scheduler.model.host_properties import PreflightFinding, Severity

_GOVERNOR = re.compile(r"current_governor\s*:\s*(\S+)")
_TURBO = re.compile(r"turbo mode\s*:\s*enabled")
_STATES = re.compile(r"total C-states\s*:\s*([0-9]{1,9})\b")
_DEEPEST = re.compile(r"Max possible C-state:\s*C([01])\b")
_HARDWARE = "hwp"
_SHALLOW = 2  # C0, in which it works, and C1, which it leaves within a microsecond or two


def find_speed_changes(told: str) -> Iterator[PreflightFinding]:
    """Yield what lets the CPU's speed vary; nothing where xenpm says nothing, as in most virtual machines."""
    governor = _GOVERNOR.search(told)
    if governor and governor[1] == _HARDWARE:
        yield PreflightFinding(
            Severity.WARNING,
            "the processor itself chooses its speed (hwp): a CPU that idles at times, as under a cap, may slow down",
            "Boot Xen with cpufreq=xen:performance in place of cpufreq=hwp.",
        )
    elif governor and governor[1] != "performance":
        yield PreflightFinding(
            Severity.WARNING,
            f"the frequency governor is '{governor[1]}': a CPU that idles at times, as under a cap, is slower",
            "xenpm set-scaling-governor performance",
        )
    if _TURBO.search(told):
        yield PreflightFinding(
            Severity.WARNING,
            "turbo mode is on: how fast the CPU is depends on how many others are idle, and on its temperature",
            "xenpm disable-turbo-mode, until the sweep is over",
        )


def find_deep_sleep(told: str) -> Iterator[PreflightFinding]:
    """Yield that the CPU may sleep deeply, from `xenpm get-cpuidle-states`; nothing where it says nothing."""
    states = _STATES.search(told)
    if states and int(states[1]) > _SHALLOW and not _DEEPEST.search(told):
        yield PreflightFinding(
            Severity.WARNING,
            f"an idle CPU may sleep in {int(states[1]) - 1} C-states, the deeper the longer it takes to wake: "
            "settings that leave it idle now and then pay for that, the others do not",
            "xenpm set-max-cstate 1, until the sweep is over ('unlimited' lifts it)",
        )

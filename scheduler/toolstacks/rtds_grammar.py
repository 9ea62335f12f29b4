"""Grammar of RTDS: period, budget and extra time, per vCPU or per domain.

Per vCPU since Xen 4.7, extra time since 4.10. Source: tools/xl/xl_sched.c.
"""

from scheduler.errors import ParameterRefused
from scheduler.model.scheduler_params import RtdsParams, RtdsVcpu, SchedParams
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.sched_tables import has_column, parse_sched_rows, read_whole
from scheduler.toolstacks.xen_tool import Version, XenTool, check_range, require_kind
from scheduler.translation import _

_PER_VCPU: Version = (4, 7)
_EXTRA: Version = (4, 10)
_MIN_US = 10  # xen/common/sched/rt.c: RTDS_MIN_PERIOD, RTDS_MIN_BUDGET
_MAX_US = 2**31 - 1  # xl keeps it in an int


class RtdsGrammar:
    """Grammar of the real-time deferrable server."""

    def ask(self, tool: XenTool, domid: int | str) -> Argv:
        # Without -v it shows the defaults of a new vCPU, not what is set.
        each = ("-v", "all") if tool.version >= _PER_VCPU else ()
        return tool.call("sched-rtds", "-d", domid, *each)

    def parse(self, text: str, domid: int, vcpus: int) -> SchedParams | None:
        rows = parse_sched_rows(text, domid)
        if not rows or not has_column(text, "Budget"):
            return None
        if has_column(text, "VCPU"):
            rows.sort(key=lambda row: read_whole(row, "VCPU"))
            return RtdsParams(tuple(_parse_vcpu(row) for row in rows))
        return RtdsParams((_parse_vcpu(rows[0]),) * vcpus)

    def steps(self, tool: XenTool, domid: int | str, params: SchedParams, vcpus: int) -> list[Argv]:
        wanted = require_kind(params, RtdsParams)
        _check_params(wanted, tool, vcpus)
        each = tool.version >= _PER_VCPU
        if len(set(wanted.vcpus)) == 1:
            who = ("-v", "all") if each else ()
            return [tool.call("sched-rtds", "-d", domid, *who, *_format_values(tool, wanted.vcpus[0]))]
        if not each:
            raise ParameterRefused(
                _("{words}: {xen} keeps one setting for all vCPUs of a domain").format(words=wanted.words, xen=tool.xen)
            )
        # One call for each: several -v in one call overrun a buffer in xl.
        return [
            tool.call("sched-rtds", "-d", domid, "-v", number, *_format_values(tool, vcpu))
            for number, vcpu in enumerate(wanted.vcpus)
        ]


def _parse_vcpu(row: dict[str, str]) -> RtdsVcpu:
    return RtdsVcpu(read_whole(row, "Period"), read_whole(row, "Budget"), extratime=row.get("Extratime") == "yes")


def _check_params(params: RtdsParams, tool: XenTool, vcpus: int) -> None:
    if len(params.vcpus) != vcpus:
        raise ParameterRefused(
            _("{words}: {count} entries for a domain of {vcpus} vCPUs").format(
                words=params.words, count=len(params.vcpus), vcpus=vcpus
            ),
            hint=_("Was the number of vCPUs of the domain changed?"),
        )
    for vcpu in params.vcpus:
        check_range("period", vcpu.period_us, _MIN_US, _MAX_US)
        check_range("budget", vcpu.budget_us, _MIN_US, vcpu.period_us)
    if tool.version < _EXTRA and any(vcpu.extratime for vcpu in params.vcpus):
        raise ParameterRefused(_("{words}: {xen} knows no extra time").format(words=params.words, xen=tool.xen))


def _format_values(tool: XenTool, vcpu: RtdsVcpu) -> tuple[object, ...]:
    # From 4.10 all three are wanted, and a new vCPU has extra time unless it is set.
    extra = ("-e", int(vcpu.extratime)) if tool.version >= _EXTRA else ()
    return ("-p", vcpu.period_us, "-b", vcpu.budget_us, *extra)

"""Grammar of SEDF, up to Xen 4.5.

`xl sched-sedf` takes whole milliseconds, `xm sched-sedf` fractions of them.
"""

from scheduler.errors import ParameterRefused
from scheduler.model.scheduler_params import SchedParams, SedfParams
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.sched_tables import has_column, parse_sched_rows, read_number, read_whole
from scheduler.toolstacks.xen_tool import XenTool, check_range, require_kind
from scheduler.translation import _

# xen/common/sched_sedf.c: PERIOD_MIN/MAX, SLICE_MIN
_PERIOD_MS = (0.01, 10_000)
_SLICE_MIN_MS = 0.005


class SedfGrammar:
    """Grammar of simple earliest deadline first."""

    def ask(self, tool: XenTool, domid: int | str) -> Argv:
        return tool.call("sched-sedf", *_domain_arguments(tool, domid))

    def parse(self, text: str, domid: int, vcpus: int) -> SchedParams | None:
        rows = parse_sched_rows(text, domid)
        if not rows or not has_column(text, "Extra"):
            return None
        # xm writes the unit into the header: Period(ms), Slice(ms), Lat(ms).
        row = {name.partition("(")[0]: value for name, value in rows[0].items()}
        latency = next((name for name in ("Latency", "Lat") if name in row), "")
        return SedfParams(
            period_ms=read_number(row, "Period"),
            slice_ms=read_number(row, "Slice"),
            latency_ms=read_number(row, latency) if latency else 0.0,
            extratime=read_number(row, "Extra") != 0,
            weight=read_whole(row, "Weight"),
        )

    def steps(self, tool: XenTool, domid: int | str, params: SchedParams, vcpus: int) -> list[Argv]:
        wanted = require_kind(params, SedfParams)
        domain = _domain_arguments(tool, domid)
        if wanted.weight:
            check_range("weight", wanted.weight, 1, 65_535)
            return [tool.call("sched-sedf", *domain, "-w", wanted.weight, "-e", int(wanted.extratime))]
        if wanted.slice_ms == 0:
            # Best effort. A slice of 0 is refused; a weight with extra time makes such a domain, which shows 0 again.
            return [tool.call("sched-sedf", *domain, "-w", 1, "-e", 1)]
        check_range(_("period in ms"), wanted.period_ms, *_PERIOD_MS)
        check_range(_("slice in ms"), wanted.slice_ms, _SLICE_MIN_MS, wanted.period_ms)
        times = (wanted.period_ms, wanted.slice_ms, wanted.latency_ms)
        if tool.name == "xl" and any(time != int(time) for time in times):
            raise ParameterRefused(
                _("{words}: 'xl sched-sedf' takes whole milliseconds only").format(words=wanted.words)
            )
        period, part, latency = (f"{time:g}" for time in times)
        values = ("-p", period, "-s", part, "-l", latency, "-e", int(wanted.extratime))
        return [tool.call("sched-sedf", *domain, *values)]


def _domain_arguments(tool: XenTool, domid: int | str) -> tuple[object, ...]:
    return ("-d", domid) if tool.name == "xl" else (domid,)

"""Grammar of credit and credit2: a weight and a cap for each domain.

Source: tools/xl/xl_sched.c, Xen 4.1 to 4.17.
"""

from scheduler.model.scheduler_params import Credit2Params, CreditParams, SchedParams
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.sched_tables import has_column, parse_sched_rows, read_whole
from scheduler.toolstacks.xen_tool import Version, XenTool, check_range, require_kind
from scheduler.translation import _

_CREDIT2_CAP: Version = (4, 10)


class CreditGrammar:
    """Grammar of both credit schedulers.

    Args:
        command: The subcommand of the tool.
        kind: The struct of its parameters.
    """

    def __init__(self, command: str, kind: type[CreditParams] | type[Credit2Params]) -> None:
        self._command = command
        self._kind = kind

    def ask(self, tool: XenTool, domid: int | str) -> Argv:
        return tool.call(self._command, "-d", domid)

    def parse(self, text: str, domid: int, vcpus: int) -> SchedParams | None:
        if not has_column(text, "Weight"):
            return None
        rows = parse_sched_rows(text, domid)
        if not rows:
            return None
        return self._kind(read_whole(rows[0], "Weight"), read_whole(rows[0], "Cap") if "Cap" in rows[0] else 0)

    def steps(self, tool: XenTool, domid: int | str, params: SchedParams, vcpus: int) -> list[Argv]:
        wanted = require_kind(params, self._kind)
        capless = self._kind is Credit2Params and tool.version < _CREDIT2_CAP
        check_range("weight", wanted.weight, 1, 65_535)
        check_range(_("cap under {xen}").format(xen=tool.xen), wanted.cap_pct, 0, 0 if capless else 100 * vcpus)
        cap = () if capless else ("-c", wanted.cap_pct)
        return [tool.call(self._command, "-d", domid, "-w", wanted.weight, *cap)]

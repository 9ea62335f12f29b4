"""The toolstack's command, and what a scheduler's part of it has to say."""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from scheduler.errors import ParameterRefused
from scheduler.model.scheduler_params import SchedParams
from scheduler.toolstacks.command_words import Argv

Version = tuple[int, int]
Kind = TypeVar("Kind", bound=SchedParams)


@dataclass(frozen=True, slots=True)
class XenTool:
    """The toolstack's command.

    Attributes:
        argv: What to call, `sudo -n` included where needed.
        name: `xl` or `xm`.
        version: Of Xen: major, minor.
    """

    argv: Argv
    name: str
    version: Version

    def call(self, *words: object) -> Argv:
        """Return a whole command; numbers are written as they are."""
        return (*self.argv, *(str(word) for word in words))

    @property
    def xen(self) -> str:
        """The version as people write it."""
        return f"Xen {self.version[0]}.{self.version[1]}"


class SchedulerGrammar(Protocol):
    """One scheduler's part of the tool; pure.

    Every set is complete: what is not named keeps its value, and text that is no number is sometimes taken for 0.
    """

    def ask(self, tool: XenTool, domid: int | str) -> Argv:
        """Return the command that prints one domain's live parameters."""
        ...

    def parse(self, text: str, domid: int, vcpus: int) -> SchedParams | None:
        """Return what it printed; None when the domain is not in it.

        Args:
            text: The command's output.
            domid: The domain.
            vcpus: Number of the domain's vCPUs, offline ones too.
        """
        ...

    def steps(self, tool: XenTool, domid: int | str, params: SchedParams, vcpus: int) -> list[Argv]:
        """Return the commands that set all of a domain's parameters, whoever is `domid`; raises ParameterRefused."""
        ...


def require_kind(params: SchedParams, kind: type[Kind]) -> Kind:
    """Return the parameters if they are this scheduler's; raises ParameterRefused."""
    if not isinstance(params, kind):
        raise ParameterRefused(
            f"{params.words}: these are parameters of another scheduler ({type(params).__name__}, not {kind.__name__})",
            hint="Was the host booted with another scheduler since the sweep was planned?",
        )
    return params


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Refuse a value outside its range before it is sent; raises ParameterRefused."""
    if not low <= value <= high:
        raise ParameterRefused(f"{name} {value:g} is outside {low:g}..{high:g}")

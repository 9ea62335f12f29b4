"""Command of a Xen toolstack, and the protocol of each scheduler's grammar."""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from scheduler.errors import ParameterRefused
from scheduler.model.scheduler_params import SchedParams
from scheduler.toolstacks.command_words import Argv
from scheduler.translation import _

Version = tuple[int, int]
Kind = TypeVar("Kind", bound=SchedParams)


@dataclass(frozen=True, slots=True)
class XenTool:
    """Command of a toolstack.

    Attributes:
        argv: The program, with `sudo -n` before it where needed.
        name: `xl` or `xm`.
        version: Version of Xen: major, minor.
    """

    argv: Argv
    name: str
    version: Version

    def call(self, *words: object) -> Argv:
        """Return a whole command; numbers are written as they are."""
        return (*self.argv, *(str(word) for word in words))

    @property
    def xen(self) -> str:
        """The version of Xen as people write it."""
        return _("Xen {version}.{version_2}").format(version=self.version[0], version_2=self.version[1])


class SchedulerGrammar(Protocol):
    """Grammar of one scheduler's commands; pure.

    Each command names every parameter. A parameter that is not named keeps its value, and the tool may take text that
    is no number for 0.
    """

    def ask(self, tool: XenTool, domid: int | str) -> Argv:
        """Return the command that prints one domain's parameters.

        Args:
            tool: The toolstack's command.
            domid: Number of the domain, or text in its place.
        """
        ...

    def parse(self, text: str, domid: int, vcpus: int) -> SchedParams | None:
        """Return the printed parameters; None when the domain is not in the output.

        Args:
            text: The command's output.
            domid: Number of the domain.
            vcpus: Number of the domain's vCPUs, with those that are offline.
        """
        ...

    def steps(self, tool: XenTool, domid: int | str, params: SchedParams, vcpus: int) -> list[Argv]:
        """Return the commands that set all of a domain's parameters.

        Args:
            tool: The toolstack's command.
            domid: Number of the domain, or text in its place.
            params: The parameters.
            vcpus: Number of the domain's vCPUs, with those that are offline.

        Raises:
            ParameterRefused: The scheduler does not take a value.
        """
        ...


def require_kind(params: SchedParams, kind: type[Kind]) -> Kind:
    """Return the parameters if they are of this scheduler; raise ParameterRefused.

    Args:
        params: The parameters.
        kind: The struct of this scheduler's parameters.
    """
    if not isinstance(params, kind):
        raise ParameterRefused(
            _("{words}: these are parameters of another scheduler ({params}, not {kind})").format(
                words=params.words, params=type(params).__name__, kind=kind.__name__
            ),
            hint=_("Was the host booted with another scheduler since the sweep was planned?"),
        )
    return params


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Refuse a value outside its range before it is sent; raise ParameterRefused.

    Args:
        name: Name of the parameter.
        value: Its value, in the unit of the parameter.
        low: Smallest value that is taken, in that unit.
        high: Largest value that is taken, in that unit.
    """
    if not low <= value <= high:
        raise ParameterRefused(
            _("{name} {value:g} is outside {low:g}..{high:g}").format(name=name, value=value, low=low, high=high)
        )

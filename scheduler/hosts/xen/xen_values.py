"""Live parameters of the domains, read and set; domains are followed by UUID, whatever number they have."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from scheduler.errors import DomainGone, DomainPaused, HostError, HostUnreachable, ParameterRefused
from scheduler.hosts.protocols import CRASHED_HINT, PAUSED_HINT
from scheduler.hosts.remote.guard_script import DOM0, NUMBER, RestoreCommands
from scheduler.hosts.remote.shell import CommandResult, Shell
from scheduler.hosts.xen import xen_vcpus
from scheduler.hosts.xen.commands import VCPUS
from scheduler.hosts.xen.toolstack_access import list_domains
from scheduler.hosts.xen.virsh import virsh_steps
from scheduler.hosts.xen.xen_setup import DomainIdentity, XenSetup
from scheduler.hosts.xen.xl_tables import DomainRow
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.model.vcpus import GUEST_VCPUS
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.grammar_lookup import find_grammar

_T = TypeVar("_T")

_TIMEOUT_S = 30.0
_RANGE = ("out of range", "must be smaller", "Invalid VCPU", "it should be", "Invalid extratime")


class XenDomainValues:
    """The domains' parameters.

    Args:
        shell: The host.
        setup: What it is.
    """

    def __init__(self, shell: Shell, setup: XenSetup) -> None:
        self.setup = setup
        self._shell = shell
        self._grammar = find_grammar(setup.scheduler)

    def read(self, domain: DomainId) -> SchedParams | None:
        """Return what is set now; None when the domain is gone. Follows it into another life. Raises HostError."""
        answer, params = self._query_params(domain)
        if params is not None:
            return params
        if not self.find(domain):
            return None
        answer, params = self._query_params(domain)
        if params is None:
            name = self.setup.member(domain).name
            raise HostError(
                f"{self._shell.where}: {name} runs, but shows no parameters of {self.setup.scheduler}: {answer.said}",
                hint="Was it moved to another CPU pool?",
            )
        return params

    def steps(self, domain: DomainId, params: SchedParams | None) -> list[Argv]:
        """Return the commands that set what is measured, as root gives them; arguments and errors as `back`'s."""
        steps = self.back(domain, params)
        if not self.setup.virsh or params is None or domain == GUEST_VCPUS:
            return steps
        return virsh_steps(self.setup.virsh, self.setup.member(domain).domid, params)

    def back(self, domain: DomainId, params: SchedParams | None, number: int | str | None = None) -> list[Argv]:
        """Return the commands that put parameters back, as root gives them: always the toolstack's own.

        Args:
            domain: The domain.
            params: What to set; None, which would mean that the domain must not exist, is nothing that we do.
            number: What to write for the domain's number; its present one when None.

        Raises:
            ParameterRefused: A value is outside its range, or meant for another scheduler.
        """
        if params is None:
            raise ParameterRefused("a Xen domain cannot be taken away: DomTune neither makes nor ends domains")
        member = self.setup.member(domain)
        domid = member.domid if number is None else number
        if domain == GUEST_VCPUS:
            return xen_vcpus.plan_vcpu_set(self.setup, domid, params)
        return self._grammar.steps(self.setup.root_tool, domid, params, member.vcpus)

    def name(self, domain: DomainId) -> str:
        """Return what the toolstack calls it."""
        return self.setup.member(domain).name

    def restore_commands(self, domain: DomainId, params: SchedParams) -> RestoreCommands:
        """Return what the guard sets it back with, by UUID; raises as `back` does."""
        member = self.setup.member(domain)
        return RestoreCommands(DOM0 if member.domid == 0 else member.uuid, tuple(self.back(domain, params, NUMBER)))

    def typed(self, steps: Sequence[Argv]) -> list[Argv]:
        """Return commands as somebody types them: with sudo where the account needs it."""
        return [(*self.setup.sudo, *step) for step in steps]

    def find(self, domain: DomainId) -> bool:
        """Look for the domain by its UUID and remember its number; False when it is gone. Raises HostError."""
        return self.locate(domain) is not None

    def locate(self, domain: DomainId) -> DomainRow | None:
        """Return the domain's row by its UUID and remember its number; None when it is gone. Raises HostError."""
        member = self.setup.member(domain)
        for row in _retry_once(lambda: list_domains(self._shell, self.setup.access)):
            if _is_same_domain(member, row.uuid, row.domid) and "d" not in row.state[-1:]:
                again = msgspec.structs.replace(member, domid=row.domid, name=row.name)
                self.setup = self.setup.moved(domain, again)
                return row
        return None

    def refuse(self, domain: DomainId, line: str, answer: CommandResult) -> HostError:
        """Return the error for a command that failed; looks whether the domain is still there."""
        said = answer.said
        if any(words in said for words in _RANGE):
            return ParameterRefused(f"'{line}' was answered with: {said}")
        before = self.setup.member(domain)
        if not self.find(domain):
            return domain_gone_error(before, self._shell.where)
        after = self.setup.member(domain)
        if after.domid != before.domid:
            return restarted_error(before, after, self._shell.where)
        return HostError(
            f"{self._shell.where}: '{line}' failed with code {answer.code}: {said}",
            hint="Was the domain moved to a CPU pool with another scheduler?",
        )

    def _query_params(self, domain: DomainId) -> tuple[CommandResult, SchedParams | None]:
        member = self.setup.member(domain)
        if domain == GUEST_VCPUS:  # the allow-list has no question for one domain
            answer = _retry_once(lambda: self._shell.run(self.setup.tool.call(*VCPUS), timeout_s=_TIMEOUT_S))
            return answer, xen_vcpus.parse_online_vcpus(answer.out, member.domid) if answer.code == 0 else None
        argv = self._grammar.ask(self.setup.tool, member.domid)
        answer = _retry_once(lambda: self._shell.run(argv, timeout_s=_TIMEOUT_S))
        # Lists answer with nothing and code 0 where a question for one domain is refused.
        found = self._grammar.parse(answer.out, member.domid, member.vcpus) if answer.code == 0 else None
        return answer, found


def domain_gone_error(member: DomainIdentity, where: str) -> DomainGone:
    """Return the error for a domain that has ended."""
    return DomainGone(
        f"{where}: {member.name} has ended (it was number {member.domid})",
        hint="There is nothing left to restore here. If it moved to another host, its settings went with it.",
    )


def restarted_error(before: DomainIdentity, after: DomainIdentity, where: str) -> DomainGone:
    """Return the error for a domain in another life."""
    return DomainGone(
        f"{where}: {before.name} was restarted (number {before.domid} became {after.domid})",
        hint="The sweep stops; what it had set is restored on the new one, too.",
    )


def stopped_error(row: DomainRow, where: str) -> DomainGone:
    """Return the error for a domain that the host still lists, but that never runs again."""
    return DomainGone(
        f"{where}: {row.name} is {row.condition}: it is still listed (number {row.domid}), but it does not run",
        hint=CRASHED_HINT,
    )


def paused_error(row: DomainRow, where: str) -> DomainPaused:
    """Return the error for a domain whose vCPUs do not run until somebody resumes it."""
    return DomainPaused(
        f"{where}: {row.name} is paused: it is listed (number {row.domid}), but it does not run",
        hint=PAUSED_HINT.format(resume=f"xl unpause {row.domid}; XAPI: xe vm-unpause uuid={row.uuid}"),
    )


def _is_same_domain(member: DomainIdentity, uuid: str, domid: int) -> bool:
    # Dom0 and nothing else has number 0; its UUID is all zeros, or left out.
    return domid == 0 if member.domid == 0 else uuid == member.uuid


def _retry_once(ask: Callable[[], _T]) -> _T:
    """Ask again once: reading does no harm, and the shell connects anew after a broken connection."""
    try:
        return ask()
    except HostUnreachable:
        return ask()

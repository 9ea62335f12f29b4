"""Live parameters of the domains, read and set; domains are identified by UUID."""

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
from scheduler.hosts.xen.xen_placement import format_masks, parse_placement, plan_original_pins, plan_pins
from scheduler.hosts.xen.xen_setup import DomainIdentity, XenSetup
from scheduler.hosts.xen.xl_tables import DomainRow
from scheduler.model.placement import PlacementParams, is_place
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.grammar_lookup import find_grammar
from scheduler.translation import _

_T = TypeVar("_T")

_TIMEOUT_S = 30.0
_RANGE = ("out of range", "must be smaller", "Invalid VCPU", "it should be", "Invalid extratime")
_POOL_HINT = _("Was the domain moved to a CPU pool with another scheduler?")
_PLACE_HINT = _(
    "Did another program hold the vCPU on its CPU, take one of the CPUs offline, or move it to another CPU pool? Stop "
    "that, then sweep again. The host is restored now."
)


class XenDomainValues:
    """Live parameters of the domains of a sweep.

    Args:
        shell: Shell of the host.
        setup: Setup of the open host.
    """

    def __init__(self, shell: Shell, setup: XenSetup) -> None:
        self.setup = setup
        self._shell = shell
        self._grammar = find_grammar(setup.scheduler)

    def read(self, domain: DomainId) -> SchedParams | None:
        """Return a domain's live parameters; None when the domain is gone.

        A restarted domain is found by its UUID.

        Raises:
            HostError: The parameters cannot be read.
        """
        answer, params = self._query_params(domain)
        if params is not None:
            return params
        if not self.find(domain):
            return None
        answer, params = self._query_params(domain)
        if params is None:
            name = self.setup.member(domain).name
            raise HostError(
                _("{where}: {name} runs, but shows no parameters of {scheduler}: {answer}").format(
                    where=self._shell.where, name=name, scheduler=self.setup.scheduler, answer=answer.said
                ),
                hint=_("Was it moved to another CPU pool?"),
            )
        return params

    def steps(self, domain: DomainId, params: SchedParams | None) -> list[Argv]:
        """Return the commands that set the split of a trial, as root types them.

        Args:
            domain: The domain.
            params: Parameters to set.

        Raises:
            ParameterRefused: As in `back`.
        """
        steps = self.back(domain, params)
        if isinstance(params, PlacementParams):
            member = self.setup.member(domain)
            return plan_pins(self.setup, member, member.domid, params)
        if not self.setup.virsh or params is None or domain == GUEST_VCPUS:
            return steps
        return virsh_steps(self.setup.virsh, self.setup.member(domain).domid, params)

    def back(self, domain: DomainId, params: SchedParams | None, number: int | str | None = None) -> list[Argv]:
        """Return the toolstack's own commands that restore parameters, as root types them.

        Args:
            domain: The domain.
            params: Parameters to set; None is refused, since DomTune does not end Xen domains.
            number: Text for the domain's number; None for the current number.

        Raises:
            ParameterRefused: A value is outside its range, or belongs to another scheduler.
        """
        if params is None:
            raise ParameterRefused(_("DomTune cannot remove a Xen domain: it neither creates nor ends domains"))
        member = self.setup.member(domain)
        domid = member.domid if number is None else number
        if domain == GUEST_VCPUS:
            return xen_vcpus.plan_vcpu_set(self.setup, domid, params)
        if is_place(domain):
            return plan_original_pins(self.setup, member, domid, params)
        return self._grammar.steps(self.setup.root_tool, domid, params, member.vcpus)

    def name(self, domain: DomainId) -> str:
        """Return the toolstack's name of a domain."""
        return self.setup.member(domain).name

    def restore_commands(self, domain: DomainId, params: SchedParams) -> RestoreCommands:
        """Return the guard's restore commands for a domain, identified by UUID.

        Args:
            domain: The domain.
            params: Original parameters.

        Raises:
            ParameterRefused: As in `back`.
        """
        member = self.setup.member(domain)
        commands = tuple(self.back(domain, params, NUMBER))
        shown = format_masks(params) if isinstance(params, PlacementParams) else ()
        online = params.online if isinstance(params, VcpuParams) else 0
        return RestoreCommands(DOM0 if member.domid == 0 else member.uuid, commands, shown, online)

    def typed(self, steps: Sequence[Argv]) -> list[Argv]:
        """Return commands as a person types them: with sudo where the account needs it."""
        return [(*self.setup.sudo, *step) for step in steps]

    def find(self, domain: DomainId) -> bool:
        """Find a domain by UUID and update its number; return False when it is gone.

        Raises:
            HostError: The domains cannot be listed.
        """
        return self.locate(domain) is not None

    def locate(self, domain: DomainId) -> DomainRow | None:
        """Return a domain's row by UUID and update its number; None when it is gone.

        Raises:
            HostError: The domains cannot be listed.
        """
        member = self.setup.member(domain)
        for row in _retry_once(lambda: list_domains(self._shell, self.setup.access)):
            if _is_same_domain(member, row.uuid, row.domid) and "d" not in row.state[-1:]:
                again = msgspec.structs.replace(member, domid=row.domid, name=row.name)
                self.setup = self.setup.moved(domain, again)
                return row
        return None

    def refuse(self, domain: DomainId, line: str, answer: CommandResult) -> HostError:
        """Return the error for a failed command, after a look for the domain.

        Args:
            domain: The domain.
            line: The command as text.
            answer: Result of the command.
        """
        said = answer.said
        if any(words in said for words in _RANGE):
            return ParameterRefused(_("'{line}' was answered with: {answer}").format(line=line, answer=said))
        before = self.setup.member(domain)
        if not self.find(domain):
            return domain_gone_error(before, self._shell.where)
        after = self.setup.member(domain)
        if after.domid != before.domid:
            return restarted_error(before, after, self._shell.where)
        got = self.read(domain) if is_place(domain) else None
        if isinstance(got, PlacementParams) and len(got.vcpus) != after.vcpus:
            return vcpus_changed_error(after, len(got.vcpus), self._shell.where)
        return HostError(
            _("{where}: '{line}' failed with code {code}: {answer}").format(
                where=self._shell.where, line=line, code=answer.code, answer=said
            ),
            hint=_PLACE_HINT if is_place(domain) else _POOL_HINT,
        )

    def _query_params(self, domain: DomainId) -> tuple[CommandResult, SchedParams | None]:
        member = self.setup.member(domain)
        if domain == GUEST_VCPUS or is_place(domain):
            listing = self.setup.tool.call(*VCPUS, member.domid)
            answer = _retry_once(lambda: self._shell.run(listing, timeout_s=_TIMEOUT_S))
            parse = xen_vcpus.parse_online_vcpus if domain == GUEST_VCPUS else parse_placement
            return answer, parse(answer.out, member.domid) if answer.code == 0 else None
        argv = self._grammar.ask(self.setup.tool, member.domid)
        answer = _retry_once(lambda: self._shell.run(argv, timeout_s=_TIMEOUT_S))
        # Some versions list all domains, and answer a query for one domain with nothing and code 0.
        found = self._grammar.parse(answer.out, member.domid, member.vcpus) if answer.code == 0 else None
        return answer, found


def domain_gone_error(member: DomainIdentity, where: str) -> DomainGone:
    """Return the error for a domain that has ended.

    Args:
        member: The domain.
        where: The host, for messages.
    """
    return DomainGone(
        _("{where}: {member} has ended (it was number {domid})").format(
            where=where, member=member.name, domid=member.domid
        ),
        hint=_("Nothing is left to restore here. If the domain moved to another host, its settings moved too."),
    )


def restarted_error(before: DomainIdentity, after: DomainIdentity, where: str) -> DomainGone:
    """Return the error for a restarted domain.

    Args:
        before: The domain before the restart.
        after: The domain after the restart.
        where: The host, for messages.
    """
    return DomainGone(
        _("{where}: {before} was restarted (number {domid} became {domid_2})").format(
            where=where, before=before.name, domid=before.domid, domid_2=after.domid
        ),
        hint=_("The sweep stops. DomTune also restores its changes on the new domain."),
    )


def vcpus_changed_error(member: DomainIdentity, vcpus: int, where: str) -> HostError:
    """Return the error for a domain whose new start has another number of vCPUs.

    Args:
        member: The domain, with the number of vCPUs that it had.
        vcpus: Number of vCPUs that it has now.
        where: The host, for messages.
    """
    return HostError(
        _(
            "{where}: {member} was restarted with {vcpus} vCPUs and had {vcpus_2}: its original "
            "placement does not fit any more"
        ).format(where=where, member=member.name, vcpus=vcpus, vcpus_2=member.vcpus),
        hint=_("Start {member} with {vcpus} vCPUs again, then run 'domtune restore'.").format(
            member=member.name, vcpus=member.vcpus
        ),
    )


def stopped_error(row: DomainRow, where: str) -> DomainGone:
    """Return the error for a domain that is still listed, but never runs again.

    Args:
        row: The domain, as the toolstack lists it.
        where: The host, for messages.
    """
    return DomainGone(
        _("{where}: {row} is {condition}: still listed (number {domid}), but not running").format(
            where=where, row=row.name, condition=row.condition, domid=row.domid
        ),
        hint=CRASHED_HINT,
    )


def paused_error(row: DomainRow, where: str) -> DomainPaused:
    """Return the error for a paused domain.

    Args:
        row: The domain, as the toolstack lists it.
        where: The host, for messages.
    """
    return DomainPaused(
        _("{where}: {row} is paused: listed (number {domid}), but not running").format(
            where=where, row=row.name, domid=row.domid
        ),
        hint=PAUSED_HINT.format(resume=f"xl unpause {row.domid}; XAPI: xe vm-unpause uuid={row.uuid}"),
    )


def _is_same_domain(member: DomainIdentity, uuid: str, domid: int) -> bool:
    # Only Dom0 has number 0; its UUID is all zeros, or missing.
    return domid == 0 if member.domid == 0 else uuid == member.uuid


def _retry_once(ask: Callable[[], _T]) -> _T:
    """Retry a reading once after a broken connection, since the shell then reconnects."""
    try:
        return ask()
    except HostUnreachable:
        return ask()

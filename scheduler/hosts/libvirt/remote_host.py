"""Remote libvirt host: read by libvirt's API, changed by virsh behind a guard."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.errors import DomainGone, HostError, ParameterRefused
from scheduler.hosts.libvirt.api_host import LibvirtHost
from scheduler.hosts.libvirt.domain_placement import PLACED_ROLES, WrittenPlacements
from scheduler.hosts.libvirt.remote_access import RemoteAccess, find_access, open_shell
from scheduler.hosts.protocols import GUARD_TOKEN, CommandLog, Host
from scheduler.hosts.remote.guard import new_token
from scheduler.hosts.remote.guard_script import LIBVIRT, NUMBER, RestoreCommands
from scheduler.hosts.remote.guard_session import GuardSession
from scheduler.hosts.remote.guarded_changes import GuardedChanges
from scheduler.hosts.remote.shell import CommandResult, Shell
from scheduler.model.host_properties import DomainUsage, HostProperties, PreflightFinding, Severity
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.model.vcpus import GUEST_VCPUS
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.virsh import pin_words, setvcpus_words
from scheduler.translation import _


class LibvirtDomainValues:
    """The two domains for the guard.

    Args:
        near: Host by libvirt's API, for readings.
        reach: Access for changes.
    """

    def __init__(self, near: LibvirtHost, reach: RemoteAccess) -> None:
        self._near = near
        self._reach = reach

    def read(self, domain: DomainId) -> SchedParams | None:
        return self._near.read(domain)

    def name(self, domain: DomainId) -> str:
        return _("{domain} (domain {uuid})").format(domain=domain, uuid=self._near.uuid(domain))

    def restore_commands(self, domain: DomainId, params: SchedParams) -> RestoreCommands:
        commands = self._build_commands(domain, params, NUMBER, all_threads=True)
        return RestoreCommands(LIBVIRT + self._near.uuid(domain), tuple(commands))

    def steps(self, domain: DomainId, params: SchedParams | None) -> list[Argv]:
        """Return the commands that set parameters, for a trial or a restore.

        Args:
            domain: The domain.
            params: Parameters to set; None is refused.

        Raises:
            ParameterRefused: A value cannot be set.
        """
        if params is None:
            raise ParameterRefused(_("DomTune cannot remove a libvirt domain: it neither creates nor ends domains"))
        return self._build_commands(domain, params, self._near.uuid(domain))

    back = steps

    def typed(self, steps: Sequence[Argv]) -> list[Argv]:
        return list(steps)

    def find(self, domain: DomainId) -> bool:
        return self._near.read(domain) is not None

    def refuse(self, domain: DomainId, line: str, answer: CommandResult) -> HostError:
        if not self.find(domain):
            hint = _("Its settings ended with the domain. Start the domain and then the sweep again.")
            return DomainGone(_("{domain} does not run any more").format(domain=self.name(domain)), hint=hint)
        kind = ParameterRefused if "out of range" in answer.said or "nvalid" in answer.said else HostError
        return kind(
            _("'{line}' failed with code {code}: {answer}").format(
                line=line, code=answer.code, answer=answer.said[:300]
            ),
            hint=_("The host keeps its value."),
        )

    def _build_commands(
        self, domain: DomainId, params: SchedParams, who: str, *, all_threads: bool = False
    ) -> list[Argv]:
        if domain in PLACED_ROLES:
            steps = self._near.placement.plan(domain, params, all_threads=all_threads)
            return [(*self._reach.argv, *pin_words(who, step)) for step in steps]
        if domain == GUEST_VCPUS:
            return [(*self._reach.argv, *setvcpus_words(who, self._near.require_vcpus(params)))]
        return [(*self._reach.argv, *words) for words in self._near.schedinfo_calls(domain, params, who)]


class GuardedAccess:
    """Parts that exist while the access to the host is open."""

    def __init__(
        self, near: LibvirtHost, shell: Shell, reach: RemoteAccess, token: str, command_log: CommandLog, *, left: bool
    ) -> None:
        values = LibvirtDomainValues(near, reach)
        self.reach = reach
        self.guarding = GuardSession(shell, values, reach.run, reach.sudo, token, command_log)
        self.changes = GuardedChanges(self.guarding, values, command_log, left=left)


class RemoteLibvirtHost(Host):
    """Two sides of a remote libvirt host.

    Args:
        near: Host by libvirt's API; closed with this host.
        command_log: Called with each command and its answer.
        left: Access and token of the dead sweep that left this host; None for a new sweep.
    """

    def __init__(
        self, near: LibvirtHost, command_log: CommandLog, left: tuple[RemoteAccess, str] | None = None
    ) -> None:
        self._near = near
        self._command_log = command_log
        self._left = left
        self._token = left[1] if left else new_token()
        self._written = WrittenPlacements()
        self._shell: Shell | None = None
        self._parts: GuardedAccess | None = None

    @property
    def guard(self) -> GuardSession:
        return self._open_access().guarding

    def facts(self) -> HostProperties:
        facts = self._near.facts()
        return msgspec.structs.replace(facts, findings=(*self._list_guard_findings(), *facts.findings))

    def boot(self) -> None:
        self._near.boot()
        self._open_access().guarding.arm()

    def read(self, domain: DomainId) -> SchedParams | None:
        if self._parts is None and not self._left:
            return self._near.read(domain)  # reading is possible where no guard can run
        got = self._open_access().changes.read(domain)
        if domain in PLACED_ROLES:
            return self._written.as_written(domain, got, self._near.placement.cpus.numbers())
        return got

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        if params is None:
            self._near.write(domain, None)
            return
        changes = self._open_access().changes
        self._near.baseline(domain)  # record the original before the first write
        changes.write(domain, params)
        self._written.note(domain, params)

    def release_domain(self, domain: DomainId) -> None:
        if self._parts is not None:
            self._parts.changes.release_domain(domain)

    def baseline(self, domain: DomainId) -> SchedParams:
        return self._near.baseline(domain)

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        if params is None:
            return self._near.commands(domain, None)
        return self._open_access().changes.lines(domain, params)

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        if self._parts is not None:
            self._parts.guarding.check()  # After the guard has restored the host, no figure belongs to the split.
        return self._near.usage()

    def failure_details(self) -> str:
        return self._parts.guarding.failure_details() if self._parts is not None else ""

    def context(self) -> Mapping[str, str]:
        reach = msgspec.json.encode(self._open_access().reach).decode()
        return {**self._near.context(), "reach": reach, GUARD_TOKEN: self._token}

    def follow(self, hard_s: float) -> bool:
        self._near.boot()
        self._open_access().guarding.follow(hard_s)
        return True

    def look_again(self) -> HostProperties:
        return self._near.look_again()

    def close(self) -> None:
        if self._parts is not None:
            self._parts.guarding.close()
        if self._shell is not None:
            self._shell.close()
        self._near.close()

    def _list_guard_findings(self) -> list[PreflightFinding]:
        try:
            state = self._open_access().guarding.state()
        except HostError as error:
            return [
                PreflightFinding(
                    Severity.ERROR, _("no guard can be left on the host: {error}").format(error=error), error.hint
                )
            ]
        if not state.changed:
            return []
        hint = _("If that sweep is dead, 'domtune restore' restores the host.")
        return [PreflightFinding(Severity.WARNING, state.text, hint)]

    def _open_access(self) -> GuardedAccess:
        """Return the access for changes on the host; raise HostError without a guard."""
        if self._parts is None:
            self._shell = self._shell or open_shell(self._near.uri)
            reach = self._left[0] if self._left else find_access(self._shell, self._near.uri, self._near.pair)
            self._parts = GuardedAccess(
                self._near, self._shell, reach, self._token, self._command_log, left=self._left is not None
            )
        return self._parts

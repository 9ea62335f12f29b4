"""Grammar of virsh: libvirt's names of parameters, their order, its commands."""

import enum
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from scheduler.errors import HostNotUsable, ParameterRefused
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import CpuMask
from scheduler.model.scheduler_params import MIN_QUOTA_US, Credit2Params, CreditParams, LibvirtParams, SchedParams
from scheduler.model.sentence_texts import encode_cpu_list
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.toolstacks.command_words import Argv, format_command
from scheduler.translation import _

RawParams = Mapping[str, int]
"""libvirt's names to values, as `virsh schedinfo` shows them."""

ParamStep = tuple[str, int]
"""One parameter to be set."""

_VCPU, _EMULATOR = "vcpu", "emulator"
NO_QUOTA = -1  # libvirt's word for no limit; it reads back any negative quota as -1 under version 1 of control groups
# virDomainCgroup's largest quota; version 2 of control groups reads no limit as a number beyond it.
_MAX_QUOTA_US = 17_592_186_044_415
_SHARES = (1, 262_144)  # version 2: 1..10000, version 1: 2..262144; libvirt does not report the version
_PERIOD_US = (1_000, 1_000_000)
_WEIGHT = (1, 65_535)  # xl.cfg(5)
_CAP_PCT = (0, 100 * 512)
_EVERY_CPU = "r"  # virsh(1), vcpupin: reset to every CPU


class IoSide(enum.StrEnum):
    """The part of a host that does the guest's I/O."""

    DOMAIN = "domain"  # another domain: Xen's Domain-0, a container with a proxy
    EMULATOR = "emulator"  # the threads of the guest's own QEMU that are not its vCPUs


class LibvirtDialect(Protocol):
    """Translation of one domain's parameters to libvirt's names and back."""

    flag: str
    """What `virsh schedinfo` needs to change live values only."""

    def read(self, raw: RawParams) -> SchedParams:
        """Return the parameters; raise HostNotUsable when some are missing."""
        ...

    def steps(self, params: SchedParams) -> Sequence[ParamStep]:
        """Return the parameters to set, in order; raise ParameterRefused before the first."""
        ...


class LibvirtCgroup:
    """Control group of a QEMU or LXC domain, or of one side of the domain.

    Args:
        shares: Whether the domain's weight belongs to this side.
        limited: The threads that have a quota: `vcpu` (under LXC all that runs in the domain), `emulator` (main loop,
            disk and network threads of QEMU).
    """

    flag = "--live"

    def __init__(self, *, shares: bool, limited: tuple[str, ...]) -> None:
        self._shares = shares
        self._limited = limited

    def read(self, raw: RawParams) -> SchedParams:
        shares = _require_param(raw, "cpu_shares") if self._shares else None
        vcpu = _read_bandwidth(raw, _VCPU) if _VCPU in self._limited else (None, None)
        emulator = _read_bandwidth(raw, _EMULATOR) if _EMULATOR in self._limited else (None, None)
        return LibvirtParams(shares, *vcpu, *emulator)

    def steps(self, params: SchedParams) -> Sequence[ParamStep]:
        wanted = narrow_params(params, LibvirtParams, _("this side of the host"))
        self._refuse_unknown(wanted)
        shares = wanted.cpu_shares
        return [
            *([] if shares is None else [("cpu_shares", _require_range("cpu_shares", shares, _SHARES))]),
            *_plan_quota(_VCPU, wanted.vcpu_period_us, wanted.vcpu_quota_us),
            *_plan_quota(_EMULATOR, wanted.emulator_period_us, wanted.emulator_quota_us),
        ]

    def _refuse_unknown(self, wanted: LibvirtParams) -> None:
        given = {
            "cpu_shares": wanted.cpu_shares is not None,
            _VCPU: wanted.vcpu_period_us is not None,
            _EMULATOR: wanted.emulator_period_us is not None,
        }
        has = {"cpu_shares": self._shares, _VCPU: _VCPU in self._limited, _EMULATOR: _EMULATOR in self._limited}
        if given != has:
            names = ", ".join(name for name, present in has.items() if present)
            raise ParameterRefused(
                _("this side of the host has only {names} ({words})").format(names=names, words=wanted.words),
                hint=_("Encode the split with this host's own scheduler."),
            )


class WeightCapDialect:
    """Dialect of Xen's credit schedulers and of the test driver: calls without a flag.

    Args:
        made: Makes the parameters.
        capped: Whether the driver knows a cap.
    """

    flag = ""

    def __init__(self, made: type[CreditParams] | type[Credit2Params], *, capped: bool) -> None:
        self._made = made
        self._capped = capped

    def read(self, raw: RawParams) -> SchedParams:
        return self._made(_require_param(raw, "weight"), _require_param(raw, "cap") if self._capped else 0)

    def steps(self, params: SchedParams) -> Sequence[ParamStep]:
        wanted = narrow_params(params, self._made, _("this domain"))
        weight = ("weight", _require_range("weight", wanted.weight, _WEIGHT))
        if self._capped:
            return [weight, ("cap", _require_range("cap", wanted.cap_pct, _CAP_PCT))]
        if wanted.cap_pct:
            text = _("cap {cap_pct}: this host's scheduler has weights only").format(cap_pct=wanted.cap_pct)
            raise ParameterRefused(text, hint=_("Use weights."))
        return [weight]


def dialects_for(driver: str, scheduler: str, side: IoSide) -> dict[DomainId, LibvirtDialect]:
    """Return the dialects of both domains.

    Args:
        driver: `qemu`, `lxc`, `xen` or `test`.
        scheduler: libvirt's name of the scheduler.
        side: The part of the host that does the guest's I/O.

    Raises:
        HostNotUsable: libvirt has no parameters for this scheduler.
    """
    if side is IoSide.EMULATOR:
        # One domain has one weight: it cannot divide anything between the two sides.
        return {
            IO: LibvirtCgroup(shares=False, limited=(_EMULATOR,)),
            GUEST: LibvirtCgroup(shares=False, limited=(_VCPU,)),
        }
    match scheduler:
        case "posix":
            one: LibvirtDialect = LibvirtCgroup(
                shares=True, limited=(_VCPU, _EMULATOR) if driver == "qemu" else (_VCPU,)
            )
        case "credit":
            one = WeightCapDialect(CreditParams, capped=True)
        case "credit2":
            one = WeightCapDialect(Credit2Params, capped=True)
        case "fair":
            one = WeightCapDialect(CreditParams, capped=False)
        case other:
            raise HostNotUsable(
                _("libvirt has no parameters for {value}").format(
                    value=_("the scheduler {other!r}").format(other=other) if other else _("this scheduler")
                ),
                hint=_("It sets control groups, Xen's credit and credit2; for others use xl+ssh://."),
            )
    return {IO: one, GUEST: one}


def model_name(driver: str, scheduler: str, side: IoSide, version: int) -> str:
    """Return the name of the share model.

    Args:
        driver: `qemu`, `lxc`, `xen` or `test`.
        scheduler: libvirt's name of the scheduler.
        side: The part of the host that does the guest's I/O.
        version: Version of the host's control groups, 1 or 2.
    """
    if side is IoSide.EMULATOR:
        return "qemu-emulator"
    if scheduler == "posix":
        return f"{driver}-v{version}"
    return "credit" if scheduler == "fair" else scheduler


def libvirt_values(params: LibvirtParams) -> list[ParamStep]:
    """Return libvirt's names and values of control groups that the driver reports."""
    given: list[ParamStep] = [] if params.cpu_shares is None else [("cpu_shares", params.cpu_shares)]
    for what, period_us, quota_us in (
        (_VCPU, params.vcpu_period_us, params.vcpu_quota_us),
        (_EMULATOR, params.emulator_period_us, params.emulator_quota_us),
    ):
        if period_us is not None:
            given += [(f"{what}_period", period_us), (f"{what}_quota", NO_QUOTA if quota_us is None else quota_us)]
    return given


def schedinfo_words(domain: str, flag: str, *steps: ParamStep) -> Argv:
    """Return the words that virsh takes after its URI to set parameters.

    Args:
        domain: A UUID or number, or text in its place.
        flag: The dialect's flag; empty for none.
        steps: Parameters of one call. libvirt keeps the first ones when it refuses a later one.
    """
    sets = (word for name, value in steps for word in ("--set", f"{name}={value}"))
    return ("schedinfo", domain, *((flag,) if flag else ()), *sets)


def format_schedinfo(uri: str, uuid: str, flag: str, step: ParamStep) -> str:
    """Return a step as a line that can be typed by hand.

    Args:
        uri: libvirt's URI of the host.
        uuid: The domain.
        flag: The dialect's flag; empty for none.
        step: Name and value of the parameter.
    """
    return format_command(("virsh", "-c", uri, *schedinfo_words(uuid, flag, step)))


class PinnedThread(NamedTuple):
    """A thread of a domain, or several that are pinned together.

    Attributes:
        kind: `vcpu`, `emulator` or `iothread`, as virsh's command begins.
        number: Number of the vCPU or I/O thread; 0 for the emulator.
    """

    kind: Literal["vcpu", "emulator", "iothread"]
    number: int = 0


class PinStep(NamedTuple):
    """Pinning of a thread.

    Attributes:
        thread: The thread.
        cpus: The CPUs, ascending; empty for every CPU.
    """

    thread: PinnedThread
    cpus: CpuMask


def pin_words(domain: str, step: PinStep) -> Argv:
    """Return virsh's words, after its URI, that pin a thread of a running domain.

    Args:
        domain: A UUID or number, or text in its place.
        step: Thread and CPUs.
    """
    kind, number = step.thread
    numbers = () if kind == "emulator" else (str(number),)
    cpus = encode_cpu_list(step.cpus) if step.cpus else _EVERY_CPU
    return (f"{kind}pin", domain, *numbers, cpus, "--live")


def format_pin(uri: str, uuid: str, step: PinStep) -> str:
    """Return the command that pins a thread, as a line to type.

    Args:
        uri: libvirt's URI of the host.
        uuid: The domain.
        step: Thread and CPUs.
    """
    return format_command(("virsh", "-c", uri, *pin_words(uuid, step)))


def setvcpus_words(domain: str, online: int) -> Argv:
    """Return virsh's words, after its URI, that set a domain's number of vCPUs.

    Args:
        domain: A UUID or number.
        online: Number of vCPUs that are online, >= 1.
    """
    return ("setvcpus", domain, str(online), "--live")


def format_setvcpus(uri: str, uuid: str, online: int) -> str:
    """Return the command that sets a domain's number of vCPUs, as a line to type.

    Args:
        uri: libvirt's URI of the host.
        uuid: The domain.
        online: Number of vCPUs that are online, >= 1.
    """
    return format_command(("virsh", "-c", uri, *setvcpus_words(uuid, online)))


def _plan_quota(what: str, period_us: int | None, quota_us: int | None) -> list[ParamStep]:
    """Return the steps that set a quota, the old quota lifted first.

    No step in between is then tighter than both ends, so that libvirt refuses none.
    """
    if period_us is None:
        return []
    steps = [(f"{what}_quota", NO_QUOTA), (f"{what}_period", _require_range(f"{what}_period", period_us, _PERIOD_US))]
    if quota_us is None:
        return steps
    # Zero would be accepted, and ignored.
    return [*steps, (f"{what}_quota", _require_range(f"{what}_quota", quota_us, (MIN_QUOTA_US, _MAX_QUOTA_US)))]


def _read_bandwidth(raw: RawParams, what: str) -> tuple[int, int | None]:
    quota_us = _require_param(raw, f"{what}_quota")
    return _require_param(raw, f"{what}_period"), None if quota_us < 0 or quota_us > _MAX_QUOTA_US else quota_us


def _require_param(raw: RawParams, name: str) -> int:
    if name not in raw:
        known = ", ".join(sorted(raw)) or "nothing"
        raise HostNotUsable(
            _("the domain's {name} cannot be set here (libvirt offers {known})").format(name=name, known=known),
            hint=_("Does libvirtd have the cpu controller of control groups?"),
        )
    return raw[name]


def _require_range(name: str, value: int, allowed: tuple[int, int]) -> int:
    low, high = allowed
    if not low <= value <= high:
        raise ParameterRefused(
            _("{name} {value} is outside {low}..{high}").format(name=name, value=value, low=low, high=high),
            hint=_("The host was not asked."),
        )
    return value

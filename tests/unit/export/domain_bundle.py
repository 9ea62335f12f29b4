"""A bundle for domains in a folder, beside a made-up host whose tools record what they hear."""

import os
import shutil
import subprocess

import msgspec
import pytest

from scheduler.export.bundle import write_bundle
from scheduler.model.spec import Mode
from tests.data_maker import make_facts, make_spec
from tests.decisions import ordering
from tests.unit.export import recorders
from tests.unit.export.recorders import DOM0, GUEST_UUID, IO_UUID, NASTY, libvirt_world, world, xen_world
from tests.volume import deep

SCRIPTS = ("apply.sh", "verify.sh", "rollback.sh", "persist.sh")
XEN_URL, XAPI_URL = "xl+ssh://root@xen1", "xapi://xcp1"
LIBVIRT_URL = "qemu+ssh://root@kvm1/system?keyfile=/tmp/k y;$(touch x)'"
QEMU = {"cpu_shares": 1024, "vcpu_period": 100_000, "vcpu_quota": -1, "emulator_period": 100_000, "emulator_quota": -1}
LXC = {"cpu_shares": 1024, "vcpu_period": 100_000, "vcpu_quota": -1}
DEFAULT_RTDS = [[10_000, 4_000, 1]]
# scheduler, URL, mode, the host as found
HOSTS = {
    "credit": (XEN_URL, Mode.WEIGHTS, xen_world("credit", [256, 0], [300, 40])),
    "credit2": (XEN_URL, Mode.CAPS, xen_world("credit2", [256, 0], [256, 0])),
    "rtds": (XEN_URL, Mode.CAPS, xen_world("rtds", DEFAULT_RTDS * 2, DEFAULT_RTDS)),
    "sedf": (XEN_URL, Mode.CAPS, xen_world("sedf", [20, 15, 0, 1, 0], [100, 0, 0, 1, 0])),
    "sedf-xm": (XEN_URL, Mode.CAPS, xen_world("sedf", [20.0, 15.0, 0, 1, 0], [100.0, 0, 0, 1, 0])),
    "xapi": (XAPI_URL, Mode.CAPS, xen_world("credit", [256, 0], [256, 0], xapi={"weight": "300"})),
    "qemu-v1": (LIBVIRT_URL, Mode.CAPS, libvirt_world(QEMU, {**QEMU, "vcpu_quota": 50_000})),
    "lxc-v2": (LIBVIRT_URL, Mode.WEIGHTS, libvirt_world(LXC, {**LXC, "cpu_shares": 77})),
    "qemu-emulator": (LIBVIRT_URL, Mode.CAPS, libvirt_world(QEMU, QEMU)),
}
# One of Xen with several vCPUs, one with a second store, one with two sides of one domain.
some_hosts = pytest.mark.parametrize("kind", ["rtds", "xapi", "qemu-emulator"])


def hosts_or_all(*kinds):
    """Parametrise a test with hosts whose scripts differ there; in `make test-deep` with every host."""
    return pytest.mark.parametrize("kind", HOSTS if deep() else kinds)


every_host = pytest.mark.parametrize("kind", HOSTS)
libvirt_hosts = pytest.mark.parametrize("kind", [kind for kind, (url, *_) in HOSTS.items() if url == LIBVIRT_URL])


def facts_of(kind, uuids=None, versions=None):
    url, _, state = HOSTS[kind]
    io = DOM0 if "scheduler" in state else GUEST_UUID if kind == "qemu-emulator" else IO_UUID
    first, second = uuids or (io, GUEST_UUID)
    facts = make_facts(host_url=url, scheduler="credit" if kind == "xapi" else kind)
    io_facts, guest_facts = facts.domains
    return msgspec.structs.replace(
        facts,
        domains=(
            msgspec.structs.replace(io_facts, name=NASTY, uuid=first, vcpus_all=2 if kind == "rtds" else 0),
            msgspec.structs.replace(guest_facts, name=f"{NASTY}\n--> ]]>", uuid=second),
        ),
        versions={**facts.versions, "xen": "4.17.7", "guest\nrm": "a\nb", **(versions or {})},
    )


def _started(config, found):
    """Return what a domain starts with: its configuration, and the default where that says nothing."""
    return {name: value or found[name] for name, value in config.items()}


class Bundle:
    """A bundle for 1:2 in a folder, beside a made-up host."""

    def __init__(self, kind, material, tmp_path, **options):
        url, mode, state = HOSTS[kind]
        self.folder, self.tools, self.etc = tmp_path / "bundle", tmp_path / "tools", tmp_path / "etc"
        self.state, self.keep = tmp_path / "state", tmp_path / "keep"
        spec = make_spec(url, splits=("1:2", "1:10"), mode=mode, kinds=("osdb-oltp",), repeats=6)
        spec = msgspec.structs.replace(spec, period_us=100_000)
        self.material = ordering(material(spec=spec, facts=facts_of(kind, **options), noise=0.002))
        self.files = write_bundle(self.material, self.folder)
        self._listener = recorders.install(self.tools, state)
        self.found = state

    def close(self):
        self._listener.close()

    def run(self, name, **more):
        return subprocess.run(
            [str(self.folder / name)],
            env={
                "PATH": f"{self.tools}:{os.environ['PATH']}",
                "DOMTUNE_STATE_DIR": str(self.state),
                "DOMTUNE_ETC": str(self.etc),
                "DOMTUNE_KEEP_DIR": str(self.keep),
                "DOMTUNE_SETTLE_S": "0",
                **more,
            },
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def codes(self, *names):
        done = [self.run(name) for name in names]
        print(*(text for each in done for text in (each.stdout, each.stderr)), sep="\n")
        return [each.returncode for each in done]

    def reboot(self):
        """Forget what a reboot forgets; then set what is set at boot, as the unit, XAPI and libvirt do."""
        shutil.rmtree(self.state, ignore_errors=True)
        now = world(self.tools)
        if "live" in now:
            starts = {uuid: _started(values, self.found["live"][uuid]) for uuid, values in now["config"].items()}
            recorders.change(self.tools, live=starts)
            return
        params = {**self.found["params"]}
        if now["xapi"].keys() >= {"weight", "cap"}:
            params["7"] = [int(now["xapi"]["weight"]), int(now["xapi"]["cap"])]
        recorders.change(self.tools, params=params)
        unit = self.etc / "systemd/system/domtune-dom0.service"
        for line in unit.read_text().splitlines() if unit.exists() else ():
            if line.startswith("ExecStart="):
                subprocess.run(line.removeprefix("ExecStart=").split(), check=True, timeout=30)

    def left(self):
        """Return the files that the scripts have left, without their folder's own."""
        return [path for folder in (self.etc, self.keep, self.state) for path in folder.rglob("*") if path.is_file()]

    def values(self):
        now = world(self.tools)
        return now.get("params") or now["live"]

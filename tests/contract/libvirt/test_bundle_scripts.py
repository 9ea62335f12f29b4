"""The exported scripts on a real libvirtd: what they set is in the control groups, what they undo is as it was."""

import os
import subprocess

import pytest

from scheduler.export.bundle import write_bundle
from scheduler.export.material import ExportMaterial
from scheduler.hosts.host_registry import open_host
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, TIME_MODES
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.stats.results import summarise_run
from tests.contract.libvirt.domain_contract import NAMES
from tests.contract.libvirt.private import groups_of
from tests.data_maker import make_documents, make_spec


class Exported:
    """A bundle for 1:2 of two real containers."""

    def __init__(self, libvirtd, mode, tmp_path):
        self.libvirtd, self.home = libvirtd, tmp_path
        self.host = open_host(libvirtd.url("lxc"), lambda *_: None, io_domain=NAMES[IO], guest_domain=NAMES[GUEST])
        self.facts = self.host.facts()
        splits, kinds = ("1:2", "1:10"), ("osdb-oltp",)
        spec = make_spec(self.facts.url, splits=splits, mode=mode, kinds=kinds, repeats=6)
        documents = make_documents(samples=False, spec=spec, facts=self.facts, noise=0.002)
        self.results = summarise_run(documents)
        named = self.results.answer.setting
        self.wanted = share_model_for_host(self.facts).encode(named.split, mode, spec.period_us).params
        # Weights may decide too little to order a change: the person names the split.
        write_bundle(ExportMaterial(self.results, spec, self.facts, split=named), tmp_path / "bundle")

    def run(self, name):
        places = {"DOMTUNE_STATE_DIR": self.home / "state", "DOMTUNE_KEEP_DIR": self.home / "keep"}
        environment = {"PATH": os.environ["PATH"], **{key: str(path) for key, path in places.items()}}
        script = [str(self.home / "bundle" / name)]
        done = subprocess.run(script, env=environment, capture_output=True, text=True, timeout=120, check=False)
        print(name, done.stdout, done.stderr)
        return done.returncode

    def live(self):
        return {domain: self.host.read(domain) for domain in (IO, GUEST)}

    def snapshot(self):
        names = NAMES.values()
        return self.libvirtd.kept("lxc", names), {name: groups_of(name, "lxc") for name in names}, self.live()


@pytest.mark.parametrize("mode", TIME_MODES)
def test_scripts_set_keep_and_undo_a_split_on_a_real_libvirtd(containers, mode, tmp_path):
    exported = Exported(containers, mode, tmp_path)
    try:
        before = exported.snapshot()
        assert exported.run("verify.sh") == 1
        assert exported.run("apply.sh") == 0
        assert exported.live() == dict(exported.wanted)
        assert exported.run("verify.sh") == 0
        assert exported.run("persist.sh") == 0
        assert exported.libvirtd.kept("lxc", NAMES.values()) != before[0]
        assert exported.run("verify.sh") == 0
        assert exported.run("rollback.sh") == 0
        assert exported.snapshot() == before
        assert not (tmp_path / "state").exists()
        assert not (tmp_path / "keep").exists()
    finally:
        exported.host.close()


def test_container_that_is_shut_off_is_not_asked_for_its_parameters(containers, tmp_path):
    exported = Exported(containers, Mode.WEIGHTS, tmp_path)
    try:
        assert exported.run("apply.sh") == 0
        containers.virsh("lxc", "destroy", NAMES[GUEST])
        assert [exported.run(name) for name in ("apply.sh", "verify.sh", "persist.sh")] == [2, 2, 2]
        assert exported.run("rollback.sh") == 0
        assert containers.running()  # libvirt 9 would have ended
    finally:
        exported.host.close()
        containers.virsh("lxc", "start", NAMES[GUEST])


def test_caps_of_one_cpu_are_refused_for_a_container_on_two(containers, tmp_path):
    exported = Exported(containers, Mode.CAPS, tmp_path)
    try:
        containers.virsh("lxc", "destroy", NAMES[GUEST])
        description = containers.virsh("lxc", "dumpxml", "--inactive", NAMES[GUEST]).stdout
        for cpuset in ("cpuset='0-1'", ""):
            containers.define("lxc", description.replace("cpuset='0'", cpuset))
            containers.virsh("lxc", "start", NAMES[GUEST])
            before = exported.snapshot()
            assert [exported.run(name) for name in ("apply.sh", "persist.sh")] == [2, 2]
            assert exported.snapshot() == before
            containers.virsh("lxc", "destroy", NAMES[GUEST])
        containers.define("lxc", description)
        containers.virsh("lxc", "start", NAMES[GUEST])
        assert exported.run("persist.sh") == 0
        assert exported.run("rollback.sh") == 0
    finally:
        exported.host.close()

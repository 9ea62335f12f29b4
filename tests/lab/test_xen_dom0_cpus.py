"""The study of Dom0's CPUs on a real Xen of four CPUs: asked, answered, applied, kept over a reboot, rolled back."""

from pathlib import Path

import pytest

from app.wizard.sweep_form import SweepForm
from scheduler import places
from scheduler.model.plan_file import write_plan
from scheduler.model.spec import RunSpec
from tests.lab.guard_lab import Dom0, copy_by_hand, knowing, reboot
from tests.lab.wide_lab import HOST, run_domtune
from tests.settings import json_label

pytestmark = [pytest.mark.lab, pytest.mark.timeout(3_600)]

WINDOWS = {"repeats": "1", "measure_s": "5", "settle_s": "2", "load_settle_s": "2"}


@pytest.fixture(scope="module")
def wide(xen_lab):
    return xen_lab.wide("credit2", guests=2)


@pytest.fixture(scope="module")
def config(wide):
    return Path(wide["ssh_config"])


@pytest.fixture(scope="module")
def dom0(config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dom0-cpus")
    with knowing(config, folder):
        yield Dom0(config, folder / "looking")


def make_plan(database):
    """Return the plan as the wizard writes it."""
    form = SweepForm()
    form.host = HOST
    form.ask("dom0-cpus")
    form.protocol = "grid"
    form.windows["grid"].update(WINDOWS)
    form.texts["domains.guest"] = "db1"
    for kind, load in form.loads.items():
        load["on"] = "yes" if kind == "osdb-ir" else "no"
    form.loads["osdb-ir"].update(users="8", tuples="2000", own="yes", database=database)
    spec = form.to_spec()
    assert isinstance(spec, RunSpec), spec
    path = places.cache_dir() / "dom0-cpus.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(write_plan(spec))
    return path


def pins_of_dom0(settings):
    return {vcpu: pins for vcpu, pins in settings.items() if vcpu.startswith("Domain-0 vCPU")}


def test_answer_is_applied_kept_over_a_reboot_and_reverted(dom0, wide, config):
    before = dom0.settings()
    answer = run_domtune("run", str(make_plan(wide["database_url"])), "--json", "--quiet")
    assert (answer["outcome"], answer["restored"]) == ("completed", True), answer
    assert {json_label(point) for point in answer["points"]} == {"baseline", "1:3", "2:2", "3:1"}
    assert dom0.settings() == before

    folder = places.cache_dir() / "bundle"
    run_domtune("export", answer["run_id"], "--to", "bundle", "--split", "1:3", "--out", str(folder))
    assert "dom0_max_vcpus=1 dom0_vcpus_pin" in (folder / "README.txt").read_text()
    assert 'cpus = "1-3"' in (folder / "guest.cfg").read_text()
    copy_by_hand(folder, config)
    dom0.run("cd /root/by-hand && ./apply.sh && ./verify.sh && ./persist.sh", timeout_s=600)
    applied = dom0.settings()
    assert set(pins_of_dom0(applied).values()) == {"online on 0 / all"}
    assert {applied[f"db1 vCPU {vcpu}"] for vcpu in range(4)} == {"online on 1-3 / all"}

    dom0 = Dom0(config)  # a shared connection would outlive the reboot
    reboot(config, dom0)
    assert pins_of_dom0(dom0.settings()) == pins_of_dom0(applied), "the unit sets Dom0's part at boot"
    dom0.run("cd /root/by-hand && ./rollback.sh", timeout_s=600)
    after = dom0.settings()
    assert after == {name: each for name, each in before.items() if name in after}
    assert pins_of_dom0(after) == pins_of_dom0(before)
    assert dom0.run("ls /etc/systemd/system/domtune-dom0.service 2>/dev/null || echo none").strip() == "none"

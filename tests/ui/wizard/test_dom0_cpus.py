"""The wizard asks for numbers of CPUs for Dom0, in place of splits."""

import pytest

from app.studies.dom0_cpus import dom0_cpus_texts
from app.wizard.sweep_form import SweepForm
from scheduler.model.decision import DecisionKind, SweepDecision
from scheduler.model.plan_file import parse_plan
from scheduler.model.setting import parse_split_setting
from scheduler.model.split import Mode

pytestmark = pytest.mark.ui


@pytest.fixture
def form() -> SweepForm:
    form = SweepForm()
    form.host = "xl+ssh://root@xen1"
    form.ask("dom0-cpus")
    return form


def test_form_leaves_users_and_numbers_to_the_host(form: SweepForm):
    spec = form.to_spec()
    assert (spec.mode, spec.by_host, spec.study.io_cpus) == (Mode.DEDICATED, ("users",), ())
    assert not form.can_refine
    assert "4 users for each shared CPU" in dom0_cpus_texts.loads_sentence(spec)
    assert SweepForm.from_spec(spec).to_spec() == spec


def test_form_reads_the_typed_numbers_and_shows_a_mistake_at_their_field(form: SweepForm):
    form.texts["io_cpus"] = "1, 2 4"
    form.loads["osdb-ir"]["users"] = "64"
    spec = form.to_spec()
    assert spec.study.io_cpus == (1, 2, 4)
    assert spec.loads[0].users == 64
    assert "1, 2 and 4" in dom0_cpus_texts.measured_sentence(spec, None)
    form.texts["io_cpus"] = "0"
    assert list(form.messages("splits")) == ["io_cpus"]


def test_home_shows_the_number_of_cpus_to_change_to():
    decision = SweepDecision(kind=DecisionKind.CHANGE, setting=parse_split_setting("3:5"))
    assert dom0_cpus_texts.finding_words(decision) == "3 CPUs for Dom0"


def test_plan_of_the_form_is_the_plan_of_its_file(form: SweepForm):
    plan = parse_plan('host = "xl+ssh://root@xen1"\nstudy = "dom0-cpus"\nio_cpus = [2, 3]\n')
    assert SweepForm.from_spec(plan).to_spec().study == plan.study

"""Pictures of the wizard for hosts with 4, 64 and 512 CPUs."""

from typing import TYPE_CHECKING

from picture_stage import Page, Stage, page

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_HOSTS = {4: (1, 1), 64: (2, 2), 512: (8, 2)}  # CPUs to NUMA nodes and threads per core


def _open_wizard(stage: Stage, cpus: int, step: int, mode: str = "caps") -> None:
    from scheduler.model.plan_file import parse_plan
    from tests.large_hosts import URL, make_large_host

    stage.window.new_sweep(URL)
    wizard, facts = stage.window.wizard, make_large_host(cpus, *_HOSTS[cpus])
    wizard.load_spec(parse_plan(f'host = "{URL}"\nmode = "{mode}"'))
    stage.wait(lambda: wizard.state.trouble)  # no host answers at this address
    wizard.state.store_host_answer(wizard.state.form.host.strip(), facts)
    for at in range(1, step + 1):
        wizard.go(at)
        stage.settle(100)


def _domains(cpus: int) -> Page:
    def make(stage: Stage) -> "QWidget":
        _open_wizard(stage, cpus, 1)
        return stage.window

    return make


def _dedicated(cpus: int) -> Page:
    def make(stage: Stage) -> "QWidget":
        _open_wizard(stage, cpus, 2, "dedicated")
        return stage.window

    return make


def _consent(cpus: int) -> Page:
    def make(stage: Stage) -> "QWidget":
        _open_wizard(stage, cpus, 5)
        stage.wait(lambda: not stage.window.wizard.review.checking.text())
        return stage.window

    return make


for _cpus in _HOSTS:
    page(f"wizard-cpus-{_cpus}")(_domains(_cpus))
    page(f"wizard-dedicated-{_cpus}")(_dedicated(_cpus))
    page(f"wizard-consent-{_cpus}")(_consent(_cpus))

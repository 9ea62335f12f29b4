"""Pictures of the wizard for hosts with 4, 64 and 512 CPUs."""

from typing import TYPE_CHECKING

from picture_stage import Page, Stage, page

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_HOSTS = {4: (1, 1), 64: (2, 2), 512: (8, 2)}  # CPUs to NUMA nodes and threads per core


def _open_wizard(stage: Stage, cpus: int, step: int, mode: str = "caps", *, scattered: bool = False) -> None:
    from scheduler.model.plan_file import parse_plan
    from tests.large_hosts import URL, make_large_host

    stage.window.new_sweep(URL)
    wizard, facts = stage.window.wizard, make_large_host(cpus, *_HOSTS[cpus], scattered=scattered)
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


def _reveal(stage: Stage, part: "QWidget") -> None:
    """Scroll the wizard to a part of its page."""
    from PySide6.QtWidgets import QScrollArea

    wizard = stage.window.wizard
    area = next(area for area in wizard.findChildren(QScrollArea) if area.widget().isAncestorOf(part))
    area.ensureWidgetVisible(part)


@page("crowded-guests")
def _crowded_guests(stage: Stage) -> "QWidget":
    """Show the choice of the guest on a host with 100 guests, limited to some names."""
    from scheduler.model.command_answers import HostProbe, HostProblem
    from tests.large_hosts import GUEST_NAMES, URL

    stage.window.new_sweep(URL)
    host = stage.window.wizard.page_at(0)
    text, hint = "xen1: 100 guests run there", "Name the guest with the database."
    host.show_answer(URL, HostProbe(error=text, hint=hint, problem=HostProblem.DOMAINS, choices=GUEST_NAMES))
    host.guests.filter.setText("db")
    stage.settle(100)
    _reveal(stage, host.guests)
    return stage.window


def _crowded(step: int, mode: str) -> Page:
    def make(stage: Stage) -> "QWidget":
        _open_wizard(stage, 512, step, mode, scattered=True)
        if step == 0:
            stage.window.wizard.go(0)
            card = stage.window.wizard.page_at(0).facts
            card.fold.setChecked(True)
            stage.settle(100)
            _reveal(stage, card)
        return stage.window

    return make


_CROWDED = ((0, "host", "caps"), (1, "domains", "caps"), (2, "splits", "dedicated"), (5, "review", "caps"))
for _step, _name, _mode in _CROWDED:
    page(f"crowded-{_name}")(_crowded(_step, _mode))

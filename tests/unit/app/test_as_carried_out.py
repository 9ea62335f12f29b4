"""The wizard says what will be run, and how long it takes, as the core's dry run does."""

import pytest

from app.wizard import plan_texts
from app.wizard.sweep_estimate import estimate_sweep
from app.wizard.sweep_form import SweepForm
from app.wizard.wizard_state import WizardState
from scheduler.commands.dry_run import dry_run
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.plan_file import parse_plan

BASE = "postgresql://u@bare/d"
PLANS = [
    "",
    'protocol = "grid"\n[[mix]]\nname = "noon"\nloads = ["osdb-ir", "osdb-oltp"]\n',
    'study = "capacity"\nsplits = ["1:1", "2:1"]\n',
    f'study = "overhead"\nbase = "{BASE}"\n',
    'study = "scale-up"\n',
    'study = "scale-up"\nvcpus = [1, 3, 8, 16]\nprotocol = "grid"\n',
    'study = "isolation"\nsecond_users = 16\n',
    'study = "isolation"\nsplits = ["2:1:1"]\nmodes = ["weights"]\n'
    '[[load]]\nkind = "osdb-oltp"\n[[load]]\nkind = "osdb-ir"\n',
]


@pytest.fixture
def told_of(tmp_path, monkeypatch):
    """Return the wizard's state of a plan on a host that has four vCPUs and room for a second guest."""
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    url = f"fake:{tmp_path / 'host.json'}?vcpus=4&guests=2"

    def told_of(more: str) -> WizardState:
        state = WizardState(SweepForm.from_spec(parse_plan(f"host = '{url}'\n{more}")))
        state.store_host_answer(url, open_host(url, ignore_command, io_domain="", guest_domain="", database="").facts())
        return state

    return told_of


@pytest.mark.parametrize("more", PLANS)
def test_trials_and_time_are_those_of_the_dry_run(told_of, more):
    state = told_of(more)
    answer, error = dry_run(state.spec)
    assert error is None
    assert estimate_sweep(state.ahead) == (answer.trials, answer.best_s, answer.worst_s, answer.usual_s)


@pytest.mark.parametrize(
    ("more", "answers"),
    [
        ('study = "scale-up"\n', {"splits": "1, 2 and 4", "loads": "Orders x 16"}),
        ('study = "scale-up"\nvcpus = [1, 3, 8, 16]\n', {"splits": "1 and 3"}),
        (
            PLANS[6],
            {
                "domains": "Domain-0 : db1 : second",
                "splits": "4:1:1, 1:1:1, 2 modes",
                "loads": "IR x 4 next to IR x 16",
            },
        ),
        (PLANS[7], {"splits": "2:1:1, weights", "loads": "OLTP x 4 next to IR x 4"}),
        (
            'study = "isolation"\nsplits = ["2:1:1", "4:1:1", "8:1:1", "1:1:1"]\nmodes = ["caps"]\n',
            {"splits": "4 splits, caps"},
        ),
        (PLANS[1], {"loads": "IR x 5, OLTP x 5, noon"}),
    ],
)
def test_each_step_reports_what_will_be_run(told_of, more, answers):
    state = told_of(more)
    said = {page: plan_texts.step_answer(page, state.ahead, state.facts) for page in answers}
    assert {page: text.replace("\N{MULTIPLICATION SIGN}", "x") for page, text in said.items()} == answers


def test_this_computers_second_server_is_in_the_line_of_domains():
    spec = parse_plan('host = "local:"\nstudy = "isolation"\n')
    assert plan_texts.step_answer("domains", spec, None) == "relay : 2 \N{MULTIPLICATION SIGN} PostgreSQL"


def test_what_is_typed_is_what_is_saved_though_the_host_has_less(told_of):
    state = told_of('study = "scale-up"\nvcpus = [1, 2, 8]\n')
    assert [setting.vcpus for setting in state.spec.settings] == [1, 2, 8]
    assert [setting.vcpus for setting in state.ahead.settings] == [1, 2]

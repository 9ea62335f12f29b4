"""Studies of overhead and isolation on the simulated machine: measured answers and the noise-free truth."""

import msgspec
import pytest

from scheduler import places
from scheduler.errors import SpecError
from scheduler.hosts.host_registry import ignore_command
from scheduler.hosts.sim import open_host
from scheduler.lessons.lesson_check import check_lesson
from scheduler.lessons.true_rates import find_isolation_truth, find_slowdown_truth
from scheduler.model.documents import RunStarted
from scheduler.model.guests import LoadedGuests
from scheduler.model.lesson_entry import LessonEntry
from scheduler.model.plan_file import parse_plan
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, GUEST_2, IO, parse_split
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.scheduler_params import initial_machine_params
from scheduler.sim.steady_state import GuestLoad, SteadyStates
from scheduler.stats.results import summarise_run
from scheduler.store.run_store import RunStore
from scheduler.studies.study_meeting import meet_host

THIRDS = parse_split("1:1:1", count=3)
SHORT = 'host = "sim:?{query}"\nstudy = "{study}"\nmeasure_s = 10\nsettle_s = 5\nload_settle_s = 15\n'
IR = '[[load]]\nkind = "osdb-ir"\nusers = 4\n'
ALONE = IR.replace("users = 4", "users = 1")
ISOLATION = f'{SHORT}splits = ["1:1:1"]\nmodes = ["caps"]\nrepeats = 6\n{IR}'


def measure(call, home, text):
    """Return first document and results of a plan's run."""
    path = home / "plan.toml"
    path.write_text(text)
    called = call("run", str(path), "--quiet")
    assert called.code == 0, called.err
    with RunStore(places.store_path(), read_only=True) as store:
        documents = list(store.documents(store.newest(), samples=False))
    assert isinstance(documents[0], RunStarted)
    return documents[0], summarise_run(documents)


def with_prediction(started):
    entry = LessonEntry(name="8-two-guests", student="Ana", prediction="40 %")
    return msgspec.structs.replace(started, spec=msgspec.structs.replace(started.spec, lesson=entry))


def met(query, more=""):
    host = open_host(f"sim:?{query}", ignore_command, "", "", "")
    return meet_host(parse_plan(f'host = "sim:?{query}"\nstudy = "isolation"\n{more}'), host, host.facts())


@pytest.mark.parametrize("seed", [1, 2])
def test_isolation_on_sim_states_the_true_loss_within_its_interval(call, home, seed):
    started, results = measure(call, home, ISOLATION.format(query=f"seed={seed}", study="isolation"))
    truth = find_isolation_truth(started, THIRDS, Mode.CAPS, GUEST)
    cost = next(cost for cost in results.answer.costs if cost.guest == GUEST)
    assert truth == pytest.approx(0.256, abs=0.002)
    assert cost.ci95_frac[0] < truth < cost.ci95_frac[1]
    assert "(simulated)" in results.answer.headline
    check = check_lesson(with_prediction(started), results)
    assert check.truth == "26 %"
    assert "The measured range contains the truth." in check.sentences
    wide = msgspec.structs.replace(cost, ci95_frac=(-3.8, 0.97))
    unknown = msgspec.structs.replace(results.answer, costs=(wide,))
    check = check_lesson(with_prediction(started), msgspec.structs.replace(results, answer=unknown))
    assert not check.decided
    assert "The trials differ too much to know the loss." in check.sentences


@pytest.mark.parametrize("seed", [1, 2])
def test_overhead_on_sim_states_the_true_slowdown_within_its_interval(call, home, seed):
    started, results = measure(
        call, home, SHORT.format(query=f"seed={seed}", study="overhead") + f"repeats = 6\n{ALONE}"
    )
    truth = find_slowdown_truth(started)
    assert truth["via the I/O domain"] > 0.1
    assert truth["confined at 1:1"] >= truth["via the I/O domain"]
    for side in results.answer.overall:
        low, high = side.ci95_frac
        assert low < truth[side.side] < high
    assert "(simulated)" in results.answer.headline


def test_idle_second_guest_costs_nothing():
    pair, states = initial_machine_params(BUILT_IN_MACHINE), SteadyStates(BUILT_IN_MACHINE)
    alone = states.of_guests(pair, {GUEST: GuestLoad("compute", 4)})[GUEST]
    three = initial_machine_params(BUILT_IN_MACHINE, second=True)
    waiting = states.of_guests(three, {GUEST: GuestLoad("compute", 4)})[GUEST]
    assert (waiting.tps, waiting.cpu_frac[:2]) == (alone.tps, alone.cpu_frac)
    assert waiting.cpu_frac[2] == 0.0


@pytest.mark.parametrize("scheduler", ["credit", "rtds"])
def test_two_guests_share_what_one_had(scheduler):
    facts = met(f"scheduler={scheduler}").facts
    params = share_model_for_host(facts).encode(THIRDS, Mode.CAPS, 20_000).params
    states = SteadyStates(BUILT_IN_MACHINE)
    load = GuestLoad("compute", 4)
    both = states.of_guests(params, {GUEST: load, GUEST_2: load})
    assert both[GUEST].tps == pytest.approx(both[GUEST_2].tps, rel=0.05)
    assert all(used <= 0.34 for used in both[GUEST].cpu_frac)


def test_direct_users_leave_the_io_domain_idle_and_are_faster():
    pair, states = initial_machine_params(BUILT_IN_MACHINE), SteadyStates(BUILT_IN_MACHINE)
    usual, direct = (
        states.of_guests(pair, {GUEST: GuestLoad("compute", 4, direct=route)})[GUEST] for route in (False, True)
    )
    assert direct.tps > usual.tps
    assert direct.cpu_frac[0] == 0.0 < usual.cpu_frac[0]


def test_isolation_excludes_modes_that_the_scheduler_lacks_with_a_sentence():
    found = met("scheduler=rtds")
    assert {setting.mode for setting in found.spec.settings} == {Mode.CAPS}
    assert any("weights are excluded" in text for text in found.warnings)
    assert {setting.mode for setting in met("scheduler=credit").spec.settings} == {Mode.CAPS, Mode.WEIGHTS}
    with pytest.raises(SpecError, match="weights"):
        met("scheduler=rtds", 'modes = ["weights"]\n')


def test_simulated_second_guest_is_a_domain_and_its_users_disturb_no_one():
    found = met("scheduler=credit")
    assert [domain.id for domain in found.facts.domains] == [IO, GUEST, GUEST_2]
    assert not any("users" in text for text in found.warnings)
    assert {setting.loaded for setting in found.spec.settings} == set(LoadedGuests)
    with pytest.raises(SpecError, match="one shared CPU"):
        met("cpus=4")

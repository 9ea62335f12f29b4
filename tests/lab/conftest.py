"""Four lanes of tests, each with a Xen lab of its own; whatever they leave running is ended.

A lab boots once for each scheduler, in minutes, and then starts from its saved state in seconds. What runs where and in
which order is said here: the lanes are as long, and a scheduler that several of them need first boots once.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from xdist.scheduler import LoadScopeScheduling

from labs.xen import folders, recipe
from scheduler import places
from scheduler.errors import HostNotUsable
from tests.lab.guard_lab import Dom0, knowing
from tests.lab.lxc_lab import Lab
from tests.lab.xen_lab import XenLab
from tests.volume import deep

# Four minutes in which an emulated Dom0 is kept as short of CPU as it can bear; a boot and two studies of two guests;
# a boot of four CPUs, eight minutes on a quiet computer, and an hour of sweeps there.
collect_ignore = (
    []
    if deep()
    else [
        "test_xen_watch.py",
        "test_xen_follow.py",
        "test_xen_two_guests.py",
        "test_xen_third_guest.py",
        "test_xen_cpus.py",
        "test_xen_dom0_cpus.py",
    ]
)

# By the name of a file, a class or a test.
LANES = (
    (
        "test_it_delivers_its_caps_and_leaves_the_host_original",
        "test_weights_that_decide_nothing_are_reported_to",
        "test_bundle_is_applied_kept_and_rolled_back_by_hand",
        "test_its_ledger_played_again_on_a_fresh_lab_sets_the_same",
        "test_rtds_really_runs_or_its_absence_is_reported",
        "TestUnderRtds",  # its budgets are real time: a starved emulator does not keep them
    ),
    ("test_xen_lab.py", "test_killed_core.py", "test_guard.py"),  # the guest's reboot last: nobody waits for its boot
    (
        "test_damaged_state_is_dropped_and_the_lab_booted_and_saved",
        "test_start_from_a_state_is_quick_fresh_and_on_time_and_writes_nothing_to_it",
        "TestUnderCredit",
        "TestThroughLibvirt",
        "test_down_lifts_caps_shuts_down_cleanly_and_leaves_nothing",
        "test_after_a_killed_emulator_a_start_that_is_broken_off_leaves_nothing",
    ),
    (
        "TestUnderCredit2",
        "test_xen_watch.py",
        "test_xen_follow.py",
        "test_xen_two_guests.py",
        "test_xen_third_guest.py",
        "test_xen_cpus.py",  # restarts a guest
        "test_xen_dom0_cpus.py",  # reboots Dom0
        "test_lxc_watch.py",
        "test_lxc_lab.py",
    ),
)
# Nice values of the first lane, which measures, and of the others: with two CPUs its emulator has one of them nearly to
# itself. All go before what else runs on this computer: what they emulate has deadlines by the clock on the wall.
FIRST, OTHERS = -15, -10


class Lanes(LoadScopeScheduling):
    """Gives each worker one lane."""

    def _split_scope(self, nodeid):
        return f"lane {_place(nodeid)[0]}"


class Failures:
    """Names each failed law when it fails: a run that is cut short then tells why."""

    def __init__(self, config):
        self._config = config

    def pytest_runtest_logreport(self, report):
        if report.failed:
            why = str(report.longrepr).rstrip().rpartition("\n")[2]
            terminal = self._config.pluginmanager.get_plugin("terminalreporter")
            terminal.write_line(f"\nFAILED {report.nodeid} ({report.when} after {report.duration:.0f} s): {why}")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(config), "failures at once")


def pytest_xdist_make_scheduler(config, log):
    return Lanes(config, log)


def pytest_collection_modifyitems(items):
    if all(item.path.parent == Path(__file__).parent for item in items):
        items.sort(key=lambda item: _place(item.nodeid))


def pytest_runtest_setup(item):
    """Let the lanes go before others, and the first before them; their emulators are children of the workers."""
    if os.nice(0) == 0:
        lane, _ = _place(item.nodeid)
        try:
            os.nice(OTHERS if lane else FIRST)
        except PermissionError:  # a container's root: then the first lane goes before the others, and no more
            os.nice(OTHERS - FIRST if lane else 0)
        with contextlib.suppress(OSError):  # where the kernel shares among sessions (sched(7), "autogroup")
            Path("/proc/self/autogroup").write_text(str(OTHERS))


def _place(nodeid):
    """Return lane and rank of a test."""
    names = {name.rpartition("/")[2].partition("[")[0] for name in nodeid.split("::")}
    for lane, entries in enumerate(LANES):
        for rank, entry in enumerate(entries):
            if entry in names:
                return lane, rank
    raise pytest.UsageError(f"{nodeid} is in no lane: put it into LANES of {__file__}")


@pytest.fixture(scope="session")
def xen_lab(worker_id):
    """The lane's lab, down at the end; with DOMTUNE_LAB_SSH the one of DOMTUNE_HOME, which stays up."""
    if "DOMTUNE_LAB_SSH" in os.environ:
        yield XenLab()
        return
    home = places.cache_dir() / "lanes" / worker_id
    shared = _images()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOMTUNE_HOME", str(home))
        folders.lab_dir().mkdir(parents=True, exist_ok=True)
        images = folders.images_dir("any").parent
        images.unlink(missing_ok=True)
        images.symlink_to(shared)
        lab = XenLab()
        yield lab
        lab.end()


@pytest.fixture(scope="module")
def xen_known(xen_lab, tmp_path_factory):
    """The lab's status under credit2, known to the ssh of a home of its own; and who looks at it beside the product."""
    up = xen_lab.under("credit2")
    folder, config = tmp_path_factory.mktemp("xen-known"), Path(up["ssh_config"])
    with knowing(config, folder):
        yield up, Dom0(config, folder / "looking")


def _images():
    """Return the folder of the images, built by whichever lane comes first."""
    folders.lab_dir().mkdir(parents=True, exist_ok=True)
    with (folders.lab_dir() / "lanes-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with contextlib.suppress(HostNotUsable):  # where RTDS cannot be built, the others can
            return recipe.provide_images("rtds", print).parent
        return recipe.provide_images("credit2", print).parent


@pytest.fixture(scope="session")
def lxc_lab():
    """The LXC lab in a home of its own; at the end it leaves nothing."""
    assert os.geteuid() == 0, "the LXC lab needs root"
    home = Path(tempfile.mkdtemp(prefix="domtune-lxc-"))
    home.chmod(0o755)  # the server's account must be able to enter
    made = Lab(home)
    began = made.tell("up")
    assert (began["state"], began["exit"]) == ("up", 0), began
    try:
        yield made
    finally:
        ended = made.tell("down")
        left = made.mentions()
        shutil.rmtree(home)
    assert (ended["state"], ended["exit"]) == ("down", 0), ended
    assert left == []
    assert not made.groups()


@pytest.fixture(scope="session")
def xen_ssh_config(request):
    """An ssh configuration that knows `domtune-xen`: the one named by DOMTUNE_LAB_SSH, else the lab's own."""
    if named := os.environ.get("DOMTUNE_LAB_SSH"):
        return Path(named)
    return Path(request.getfixturevalue("xen_lab").under("credit2")["ssh_config"])

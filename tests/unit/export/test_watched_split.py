"""Scripts of a split that watching named: a sweep's scripts, which say that nothing was measured."""

import zipfile

import msgspec
import pytest

from scheduler.errors import FilesExist, SpecError
from scheduler.export.watched_split import watched_refusal, write_watched
from scheduler.model.observation_documents import TimetableRow, WatchOutlook, WatchResult
from scheduler.model.scheduler_params import CgroupParams, Credit2Params
from scheduler.model.split import GUEST, IO, parse_split
from tests.data_maker import make_facts
from tests.unit.export.domain_bundle import facts_of

SCRIPTS = ("apply.sh", "verify.sh", "rollback.sh", "persist.sh")
HEADLINE = "Set 1:2: 12 % more than what was set gives (estimate)."
ENDED_UNIX_S = 1_764_000_000.0
GROUPS = {IO: CgroupParams(100, 33_333), GUEST: CgroupParams(100, 66_667)}
WEIGHTS = {IO: CgroupParams(67), GUEST: CgroupParams(133)}
CAPS = {IO: Credit2Params(weight=256, cap_pct=33), GUEST: Credit2Params(weight=256, cap_pct=67)}


def answer(facts=None, params=GROUPS, **more) -> WatchResult:
    reported = {
        "host": "local:",
        "title": "testbench, 2 CPUs",
        "t_s": 8 * 3600.0,
        "windows": 2870,
        "dropped": 10,
        "mode": "caps",
        "present": parse_split("1:1"),
        "outlook": WatchOutlook.STATIC,
        "headline": HEADLINE,
        "reasons": ("The I/O domain was never at its limit.",),
        "split": parse_split("1:2"),
        "split_low": parse_split("1:2.3"),
        "split_high": parse_split("1:1.8"),
        "database_tps": 1234.5,
    }
    return WatchResult(**{**reported, "facts": facts or make_facts(), "params": params, **more})


def readme_of(told: WatchResult, folder) -> str:
    write_watched(told, folder, ENDED_UNIX_S)
    return " ".join((folder / "README.txt").read_text().split())


def test_evidence_is_what_was_watched_and_nothing_is_called_measured(tmp_path):
    times = {"timetable": (TimetableRow(begins="07:00", split=parse_split("1:3")),), "timetable_gain_frac": 0.07}
    readme = readme_of(answer(**times), tmp_path / "out")
    for words in (
        HEADLINE,
        "from watching the host's own load for 8 h, until 2025-11-2",
        "2870 windows of 10 s; 10 more could not be used. 1:1 was set at the end.",
        "Other splits were not measured",
        "1:2.3 to 1:1.8",
        "committed 1.23k transactions/s",
        "The I/O domain was never at its limit.",
        "limits is unchanged; only the split differs.",
        "a timetable of splits would gain 7 % more",
        "The evidence is valid for the system that was watched. Watch again when",
        "is the same as when",
    ):
        assert words in readme
    for words in ("Sweep again", "Measured with", "95 % interval", "from run", "one CPU at most"):
        assert words not in readme
    assert "source=watching the host's own load" in (tmp_path / "out/split.conf").read_text()


def test_weights_are_set_as_they_are_divided_next_to_whatever_else_there_is(tmp_path):
    readme = readme_of(answer(params=WEIGHTS, mode="weights"), tmp_path / "out")
    assert "other programs get no less" in readme
    assert "The folder domtune has only these two groups" not in readme
    conf = (tmp_path / "out/split.conf").read_text()
    assert "io_values=67 max 100000\n" in conf
    assert "io_values_near=\n" in conf


def test_scripts_set_check_and_take_back_the_split(bundle):
    made = bundle("credit2")
    before = made.values()
    write_watched(answer(facts_of("credit2"), CAPS), made.folder, replacing=None)
    assert made.codes("apply.sh", "verify.sh") == [0, 0]
    assert made.values() != before
    assert made.codes("rollback.sh") == [0]
    assert made.values() == before


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"simulated": True}, "simulated"),
        (
            {
                "split": None,
                "params": {},
                "outlook": WatchOutlook.NOTHING,
                "headline": "The weights had no effect: the CPU was never saturated.",
            },
            "The weights had no effect",
        ),
        ({"params": {}}, "has no settings for"),
        ({"facts": make_facts(scheduler="vax")}, "no scripts for 'vax' hosts"),
    ],
)
def test_what_cannot_be_exported_is_refused_with_the_reason(more, why, tmp_path):
    reported = answer(**more)
    assert why in watched_refusal(reported)
    with pytest.raises(SpecError, match=why):
        write_watched(reported, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_archive_replaces_no_file_unasked(tmp_path):
    target = tmp_path / "split.zip"
    assert write_watched(answer(), target) == (target,)
    with zipfile.ZipFile(target) as archive:
        names = (*SCRIPTS, "README.txt", "split.conf", "parts/common.sh", "parts/cgroup.sh")
        assert sorted(archive.namelist()) == sorted(f"split/{name}" for name in names)
    with pytest.raises(FilesExist):
        write_watched(answer(), target)
    write_watched(answer(), target, replacing=(target,))


def test_answer_comes_back_from_its_line_with_what_sets_it():
    reported = answer()
    assert msgspec.json.decode(msgspec.json.encode(reported), type=WatchResult) == reported

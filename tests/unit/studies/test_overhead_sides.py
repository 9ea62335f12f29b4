"""Two sides of the overhead study: what page faults cost on each, and whether they may be compared at all."""

import pytest

from scheduler.errors import SpecError
from scheduler.loads.data_fingerprint import DataFingerprint, refuse_different, settings_query
from scheduler.studies.overhead import micro


def test_micro_measures_a_page_fault_and_a_system_call():
    line = micro.measure_costs(25)  # a few rounds alone may be disturbed: on a busy computer two rounds gave -1,032 ns
    assert not micro.unusable_reason(line)


def test_micro_with_disturbed_rounds_names_the_reason():
    line = {"fault_ns": {"median": -1032.0}, "call_ns": {"median": 153.9}, "rounds": 2}
    assert "the cost of a page fault: the median is -1032.0 ns" in micro.unusable_reason(line)
    line = {"fault_ns": {"median": 800.0}, "call_ns": {"median": 0.0}, "rounds": 200}
    assert "the cost of a system call" in micro.unusable_reason(line)


MINE = DataFingerprint(
    database="postgresql", version="18.1", data={"region": "5:10"}, settings={"shared_buffers": "128MB", "jit": "off"}
)


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ({"data": {"region": "5:11"}}, "region is 5:10 on bare and 5:11 on xen"),
        ({"data": {}}, "region is 5:10 on bare and nothing on xen"),
        ({"settings": {**MINE.settings, "shared_buffers": "2GB"}}, "shared_buffers is 128MB on bare and 2GB on xen"),
        ({"version": "17.5"}, "the version is 18.1 on bare and 17.5 on xen"),
        ({"database": "mariadb"}, "the database is postgresql on bare and mariadb on xen"),
    ],
)
def test_sides_with_other_data_or_settings_are_refused_with_both_values(theirs, said):
    fields = {name: getattr(MINE, name) for name in MINE.__struct_fields__}
    with pytest.raises(SpecError, match="cannot be compared") as caught:
        refuse_different({"bare": MINE, "xen": DataFingerprint(**{**fields, **theirs})})
    assert said in str(caught.value)
    assert caught.value.hint


def test_minor_version_and_what_decides_nothing_are_only_noted():
    newer = DataFingerprint(
        database="postgresql",
        version="18.4 (Debian)",
        data=MINE.data,
        settings={"shared_buffers": "128MB", "port": "5433"},
    )
    assert refuse_different({"bare": MINE, "again": MINE}) == ()
    version, jit, port = refuse_different({"bare": MINE, "xen": newer})
    assert "18.1 on bare and 18.4 (Debian) on xen: counted as the same" in version
    assert "jit is off on bare and not known there on xen" in jit
    assert port.startswith("port is not known there on bare")
    assert "'io_method'" in settings_query("postgresql")
    with pytest.raises(SpecError, match="the relevant settings of oracle are unknown"):
        settings_query("oracle")

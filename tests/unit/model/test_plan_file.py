import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.errors import SpecError
from scheduler.model.load import LoadSpec
from scheduler.model.plan_file import parse_plan, read_plan_file, write_plan
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import PAPER_SPLITS, Mode, RunSpec
from scheduler.model.studies import find_study
from tests.volume import times

printable = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30)
loads = st.lists(st.sampled_from(["osdb-ir", "osdb-oltp"]), min_size=1, max_size=2, unique=True).flatmap(
    lambda kinds: st.tuples(
        *(
            st.builds(
                LoadSpec,
                kind=st.just(kind),
                users=st.integers(1, 64),
                tuples=st.integers(2, 100).map(lambda n: 1000 * n),
                database=st.sampled_from(["", "postgresql://osdb@10.0.0.5/osdb"]),
            )
            for kind in kinds
        )
    )
)


@st.composite
def specs(draw):
    chosen = draw(loads)
    protocol = msgspec.structs.replace(
        PROTOCOLS[draw(st.sampled_from(find_study("split").protocols))],
        repeats=draw(st.integers(1, 20)),
        measure_s=draw(st.integers(1, 600)),
    )
    if protocol.adapts:
        protocol = msgspec.structs.replace(protocol, refine=draw(st.booleans()))
    weights = {load.kind: draw(st.floats(0.1, 9)) for load in chosen} if draw(st.booleans()) else {}
    return RunSpec(
        name=draw(printable),
        host_url=draw(st.sampled_from(["local:", "sim:", "xl+ssh://root@lab1"])),
        mode=draw(st.sampled_from(list(Mode))),
        settings=tuple(
            parse_split_setting(s) for s in draw(st.lists(st.sampled_from(PAPER_SPLITS), min_size=1, unique=True))
        ),
        loads=tuple(chosen),
        protocol=protocol,
        weights=weights,
        period_us=draw(st.integers(1_000, 1_000_000)),
        io_domain=draw(st.sampled_from(["", "Domain-0"])),
        guest_domain=draw(st.sampled_from(["", "db1"])),
        seed=draw(st.integers(0, 10_000)),
    )


@given(specs())
@settings(max_examples=times(40, 150), deadline=None)
def test_plan_that_was_written_reads_back_as_the_same_sweep(spec):
    assert parse_plan(write_plan(spec)) == spec


def test_shortest_plan_is_the_papers_sweep():
    spec = parse_plan('host = "local:"')
    assert [setting.label for setting in spec.settings] == list(PAPER_SPLITS)
    assert [load.kind for load in spec.loads] == ["osdb-ir", "osdb-oltp"]
    assert spec.protocol == PROTOCOLS["adaptive"]
    assert spec.mode is Mode.CAPS
    assert spec.weight_of("osdb-ir") == spec.weight_of("osdb-oltp") == 0.5


@pytest.mark.parametrize(
    ("line", "field", "part"),
    [
        ("splitz = []", "splitz", "not a key"),
        ('splits = ["0:1"]', "splits[0]", "0:1"),
        ('splits = ["1:1", "1:1"]', "splits", "1:1 given more than once"),
        ("splits = []", "splits", "none given"),
        ("splits = [1]", "splits", "not text"),
        ('mode = "both"', "mode", "both"),
        ('protocol = "slow"', "protocol", "slow"),
        ("repeats = 0", "repeats", "1..1000"),
        ('repeats = "3"', "repeats", "a whole number"),
        ('protocol = "grid"\nlimit_min = 5', "limit_min", "fixed length"),
        ('protocol = "grid"\nrestart_settle_s = 45', "restart_settle_s", "fixed length"),
        ("restart_settle_s = -1", "restart_settle_s", "-1"),
        ('protocol = "grid"\nrefine = true', "refine", "fixed length"),
        ('refine = "yes"', "refine", "not a boolean"),
        ("measure_s = 0", "measure_s", "1..86400"),
        ("period_ms = 0.5", "period_ms", "1..1000"),
        ('[[load]]\nkind = "tpcx"', "load[0].kind", "tpcx"),
        ('[[load]]\nkind = "osdb-ir"\nusers = 257', "load[0].users", "1..256"),
        ('[[load]]\nkind = "osdb-ir"\ntuples = 2500', "load[0].tuples", "multiple of 1000"),
        ('[[load]]\nkind = "osdb-ir"\nuserz = 5', "userz", "not a key"),
        ('[[load]]\nkind = "osdb-ir"\ndatabase = "oracle://u@h/db"', "load[0].database", "postgresql://"),
        ('[[load]]\nkind = "osdb-ir"\nengine = "aria"', "load[0].engine", "PostgreSQL has no such parameter"),
        (
            '[[load]]\nkind = "osdb-ir"\ndatabase = "mariadb:"\nengine = "merge"',
            "load[0].engine",
            "innodb, myisam, aria",
        ),
        ('[[load]]\nkind = "osdb-ir"\ndatabase = "h/db"', "load[0].database", "has no scheme"),
        ("[objective]\nweights = { osdb-ir = 0, osdb-oltp = 0 }", "objective.weights", "all weights are 0"),
        ("[objective]\nweights = { tpch = 1 }", "objective.weights", "not a load of this sweep"),
        ("[objective]\nweights = { osdb-ir = -1 }", "objective.weights", "outside 0"),
        ("[objective]\nweights = { osdb-ir = nan }", "objective.weights", "outside 0"),
        ('[objective]\nname = "fair"', "objective.name", "fair"),
        ("[objective]\ntolerance_frac = 0", "objective.tolerance_frac", "0.0 is outside 0.005..0.1"),
        ("[objective]\ntolerance_frac = 1.0", "objective.tolerance_frac", "1.0 is outside 0.005..0.1"),
        ("[objective]\ntolerance_frac = nan", "objective.tolerance_frac", "nan is outside"),
        ('[objective]\nname = "worst-case"\nweights = { osdb-ir = 1 }', "objective.weights", "worst-case"),
        ('[objective]\nname = "worst-case"\nlimit_frac = 0.1', "objective.limit_frac", "worst-case"),
        ('[objective]\nname = "worst-case"\n[[load]]\nkind = "osdb-ir"', "objective.name", "two loads"),
        ('protocol = "strict"\n[objective]\nname = "worst-case"', "protocol", "no certificates"),
        ('refine = true\n[objective]\nname = "worst-case"', "objective.name", "refine"),
        ('[objective]\nload = "osdb-ir"', "objective.load", "weighted"),
        ('[objective]\nname = "limited"\nlimit_frac = 0.1', "objective.load", "none given"),
        ('[objective]\nname = "limited"\nload = "tpcx"\nlimit_frac = 0.1', "objective.load", "tpcx"),
        ('[objective]\nname = "limited"\nload = "osdb-ir"', "objective.limit_frac", "0.0"),
        ('[objective]\nname = "limited"\nload = "osdb-ir"\nlimit_frac = 1', "objective.limit_frac", "between 0 and 1"),
        ('[objective]\nname = "limited"\nload = "osdb-ir"\nlimit_frac = nan', "objective.limit_frac", "nan"),
    ],
)
def test_wrong_value_is_named_with_what_is_allowed(line, field, part):
    with pytest.raises(SpecError) as refused:
        parse_plan(f'host = "local:"\n{line}\n')
    assert field in refused.value.field, str(refused.value)
    assert part in str(refused.value)


@pytest.mark.parametrize(
    "url", ["postgresql://u:secret@h/d", "postgresql://h/d?password=secret", "postgresql://u:@h/d"]
)
def test_plan_with_a_password_is_refused_without_repeating_it(url):
    with pytest.raises(SpecError) as refused:
        parse_plan(f'host = "local:"\n[[load]]\nkind = "osdb-ir"\ndatabase = "{url}"\n')
    assert refused.value.field == "load[0].database"
    assert "secret" not in str(refused.value) + refused.value.hint


def test_missing_host_is_named():
    with pytest.raises(SpecError, match="host"):
        parse_plan('name = "x"')


def test_what_is_not_toml_is_reported_with_its_place():
    with pytest.raises(SpecError, match="not TOML"):
        parse_plan("host = ", "my.toml")


@pytest.mark.parametrize("body", [b"\xff\xfe", b"x" * 1_000_001])
def test_wrong_file_is_refused(tmp_path, body):
    path = tmp_path / "plan.toml"
    path.write_bytes(body)
    with pytest.raises(SpecError, match=r"plan\.toml"):
        read_plan_file(path)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(SpecError, match="cannot be read"):
        read_plan_file(tmp_path / "none.toml")


def test_database_that_is_no_url_is_refused_without_repeating_it():
    with pytest.raises(SpecError, match="has no scheme") as refused:
        LoadSpec("osdb-ir", database="host=h user=u password=hunter2")
    assert "hunter2" not in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize(
    "text",
    [
        f"seed = {'9' * 5000}",
        "a = " + "{a=" * 900,
        "a = " + "[" * 30_000,
        "a" + ".a" * 20_000 + " = 1",
        "[" + "'a'." * 20_000 + "a]",
        "period_ms = " + "9" * 5000 + ".0",
    ],
    ids=["digits", "tables", "lists", "dots", "header", "fraction"],
)
def test_plan_that_no_person_wrote_is_refused_at_once(text):
    begun_s = time.process_time()
    with pytest.raises(SpecError):
        parse_plan(f'host = "local:"\n{text}\n')
    assert time.process_time() - begun_s < 2


def test_many_splits_on_a_line_are_read():
    splits = [f"{number}.5:10.5" for number in range(2, 90)]
    plan = parse_plan(f'host = "local:"\nsplits = {splits!r}\n')
    assert len(plan.settings) == len(splits)
    assert parse_plan(write_plan(plan)) == plan


def test_calibration_is_named_as_a_study_or_by_its_protocol():
    named, plain = (parse_plan(f'host = "sim:"\n{how}') for how in ('study = "calibration"', 'protocol = "calibrate"'))
    assert named == plain
    assert not named.protocol.decides
    with pytest.raises(SpecError, match="'adaptive' does not suit the study 'calibration'"):
        parse_plan('host = "sim:"\nstudy = "calibration"\nprotocol = "adaptive"')


def test_parse_plan_reads_and_writes_a_plan_without_baseline():
    plan = parse_plan('host = "sim:"\nbaseline = false\n')
    assert not plan.baseline
    assert parse_plan(write_plan(plan)) == plan
    assert "baseline = false" in write_plan(plan)


def test_write_plan_leaves_out_a_baseline_that_is_measured():
    plan = parse_plan('host = "sim:"\n')
    assert plan.baseline
    assert "baseline" not in write_plan(plan)


def test_parse_plan_refuses_other_studies_without_baseline():
    with pytest.raises(SpecError, match="false does not suit the study 'capacity'") as refused:
        parse_plan('host = "sim:"\nstudy = "capacity"\nbaseline = false\n')
    assert refused.value.field == "baseline"

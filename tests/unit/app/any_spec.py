"""Any sweep that a plan can ask for, drawn by hypothesis."""

import msgspec
from hypothesis import strategies as st

from scheduler.model.databases import DATABASES
from scheduler.model.decision import SweepPurpose
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.objective import Objective
from scheduler.model.protocols import PROTOCOLS, SweepProtocol
from scheduler.model.setting import DIRECT, parse_split_setting
from scheduler.model.shared_set import CpusSpec
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.studies import ISOLATION, SCALE_UP, SPLIT, STUDIES
from scheduler.model.study_spec import SettingKeys
from scheduler.studies.isolation.declaration import IsolationStudy
from scheduler.studies.scaling.declaration import ScaleUpStudy

_words = st.text(st.characters(categories=("L", "N", "Zs")), max_size=20).map(str.strip)
_names = st.tuples(_words, _words).filter(lambda pair: not pair[0] or pair[0] != pair[1])
_parts = st.decimals(min_value="0.5", max_value=40, places=2)
_splits = st.builds(lambda io, guest: f"{io.normalize():f}:{guest.normalize():f}", _parts, _parts)
_urls = st.sampled_from(["", "postgresql://osdb@10.0.0.5/osdb", "postgresql://h:6000/d?sslmode=require"])
_maria_urls = st.sampled_from(["", "mariadb://osdb@10.0.0.5/osdb", "mysql://u@h:6000/d"])
_weights = st.floats(0.001, 1e6)
_zones = st.integers(5, 100).map(lambda permille: permille / 1000)
_worths = st.one_of(st.none(), st.integers(1, 1000).map(lambda permille: permille / 1000))


def _objectives(kinds: list[str]) -> st.SearchStrategy[Objective]:
    return st.one_of(
        st.builds(
            lambda name, zone, purpose, worth: Objective(name, tolerance_frac=zone, purpose=purpose, worth_frac=worth),
            st.sampled_from(["weighted", "worst-case"]),
            _zones,
            st.sampled_from(SweepPurpose),
            _worths,
        ),
        st.builds(
            lambda load, permille, zone, purpose, worth: Objective(
                "limited", load, permille / 1000, zone, purpose, worth
            ),
            st.sampled_from(kinds),
            st.integers(1, 999),
            _zones,
            st.sampled_from(SweepPurpose),
            _worths,
        ),
    )


@st.composite
def _loads(draw: st.DrawFn, kind: str) -> LoadSpec:
    declared = {each.name: each for each in LOAD_KINDS[kind].parameters}
    thousands = st.integers(2, 10_000) if "tuples" in declared else st.just(10)
    probe = st.booleans() if LOAD_KINDS[kind].probe else st.just(value=False)
    more = {"scale": st.integers(2, 9), "command": st.sampled_from(["a 'b c'", 'x "y" \\z']), "interval_s": st.just(3)}
    more |= {"warehouses": st.integers(7, 20), "procedures": st.just(value=False)}  # 64 users need seven
    more |= {"isolation": st.just("repeatable-read"), "items": st.just(100)}
    more |= {"script": st.sampled_from(["read-only", "point-select"]), "tables": st.integers(5, 64)}
    given = {name: draw(more[name]) for name in more if name in declared}
    urls = _urls if "postgresql" in LOAD_KINDS[kind].databases else _maria_urls
    return LoadSpec(kind, draw(st.integers(1, 64)), draw(urls), draw(thousands) * 1000, draw(probe), given)


@st.composite
def specs(draw: st.DrawFn) -> RunSpec:
    kinds = draw(st.lists(st.sampled_from(list(LOAD_KINDS)), min_size=1, unique=True))
    names = draw(_names)
    protocol = draw(st.sampled_from(sorted(STUDIES[SPLIT].protocols)))
    objective = draw(_objectives(kinds)) if len(kinds) == 2 and protocol != "strict" else Objective()
    return RunSpec(
        host_url=draw(st.sampled_from(["local:", "xl+ssh://root@lab1:22", "fake:/tmp/h?absent=1"])),
        settings=tuple(
            parse_split_setting(text) for text in draw(st.lists(_splits, min_size=1, max_size=9, unique=True))
        ),
        loads=tuple(draw(_loads(kind)) for kind in kinds),
        name=draw(_words),
        mode=draw(st.sampled_from(Mode)),
        protocol=SweepProtocol(
            protocol,
            draw(st.integers(1, 1000)),
            draw(st.integers(1, 86_400)),
            draw(st.integers(0, 3600)),
            draw(st.integers(0, 3600)),
            refine=PROTOCOLS[protocol].adapts and objective.weighs and draw(st.booleans()),
        ),
        objective=objective,
        weights=draw(st.one_of(st.just({}), st.fixed_dictionaries({kinds[0]: _weights}))) if objective.weighs else {},
        period_us=draw(st.integers(1_000, 1_000_000)),
        io_domain=names[0],
        guest_domain=names[1],
        seed=draw(st.integers(0, 2**32 - 1)),
        baseline=draw(st.booleans()),
    )


@st.composite
def mixed_specs(draw: st.DrawFn) -> RunSpec:
    """Draw a sweep with loads that run together."""
    kinds = draw(st.lists(st.sampled_from(list(LOAD_KINDS)), min_size=2, max_size=4, unique=True))
    described = {kind: draw(_loads(kind)) for kind in kinds}
    names = draw(st.lists(st.sampled_from(["noon", "Night_9", "b-2"]), min_size=1, unique=True))
    several = st.lists(st.sampled_from(kinds), min_size=2, unique=True)
    members = [msgspec.structs.replace(described[kind], mix=name) for name in names for kind in draw(several)]
    apart = draw(st.sets(st.sampled_from([load.kind for load in members])))
    loads = (*(load for kind, load in described.items() if kind not in apart), *members)
    objective = draw(st.one_of(st.just(Objective()), _objectives([load.name for load in loads])))
    weights = st.dictionaries(st.sampled_from([load.name for load in loads]), _weights)
    return RunSpec(
        host_url=draw(st.sampled_from(["local:", "xl+ssh://root@lab1:22", "fake:/tmp/h?absent=1"])),
        settings=tuple(
            parse_split_setting(text) for text in draw(st.lists(_splits, min_size=1, max_size=4, unique=True))
        ),
        loads=loads,
        name=draw(_words),
        objective=objective,
        weights=draw(weights) if objective.weighs else {},
    )


_few = st.integers(2, 900).map(lambda hundredths: f"{hundredths / 100:g}")
_threes = st.builds("{}:{}:{}".format, _few, _few, _few).filter(
    lambda text: max(map(float, text.split(":"))) <= 100 * min(map(float, text.split(":")))
)
_modes = st.sampled_from([["caps"], ["weights"], ["caps", "weights"], ["weights", "caps"]])


def _isolation_studies(second: str) -> st.SearchStrategy[IsolationStudy]:
    return st.builds(IsolationStudy, st.integers(0, 64), st.just(second), st.sampled_from(["", "db2"]))


@st.composite
def varied_specs(draw: st.DrawFn) -> RunSpec:
    """Draw a study that varies something else than splits of two."""
    kind = STUDIES[draw(st.sampled_from([SCALE_UP, ISOLATION]))]
    two = kind.name == ISOLATION
    kinds = draw(st.lists(st.sampled_from(list(LOAD_KINDS)), min_size=1, max_size=2 if two else 4, unique=True))
    loads = tuple(draw(_loads(each)) for each in kinds)
    threes = draw(st.lists(_threes, min_size=1, max_size=3, unique=True)) if two else None
    vcpus = None if two else draw(st.lists(st.integers(1, 128), min_size=2, max_size=5, unique=True))
    base = "" if two else draw(st.sampled_from(["", DIRECT]))
    times = (st.integers(1, 1000), st.integers(1, 86_400), st.integers(0, 3600), st.integers(0, 3600))
    engine = DATABASES[loads[-1].engine]
    second = draw(st.sampled_from(["", f"{engine.schemes[0]}://u@second-guest/d"])) if two else ""
    study = draw(_isolation_studies(second)) if two else ScaleUpStudy(base)
    return RunSpec(
        host_url=draw(st.sampled_from(["local:", "xl+ssh://root@lab1:22", "fake:/tmp/h?guests=2"])),
        settings=tuple(study.build_settings(SettingKeys(threes, loads, vcpus, draw(_modes) if two else None))),
        loads=loads,
        name=draw(_words),
        mode=Mode.CAPS if two else draw(st.sampled_from(Mode)),
        cpus=draw(st.builds(CpusSpec, st.sampled_from(["auto", "0-3, 8", "node 1"]), st.integers(0, 256))),
        protocol=SweepProtocol(draw(st.sampled_from(kind.protocols)), *map(draw, times)),
        period_us=draw(st.integers(1_000, 1_000_000)),
        seed=draw(st.integers(0, 2**32 - 1)),
        study=study,
    )

"""Our users are not the bottleneck that they measure: close to pgbench in throughput, at a small cost in CPU."""

import msgspec
import pytest

from tests.bench.loads.arena import arena
from tests.bench.loads.cases import CASES, Promise
from tests.bench.loads.compare import compare
from tests.quiet import until_fine
from tests.volume import few, times

USERS = 5
PAIRS, SECONDS = times(2, 8), times(1, 2)
PROMISE = Promise(tps=0.9, cpu=2.0)  # looser than the bench's: in turns of a second

pytestmark = [pytest.mark.live, pytest.mark.alone]


@pytest.fixture(scope="module")
def here():
    with arena("postgresql", (USERS,)) as here:
        yield here


@pytest.mark.parametrize("kind", few(["osdb-ir"], ["osdb-oltp"]))
def test_load_reaches_pgbench_at_no_more_than_twice_its_cpu(here, kind, capsys):
    case = next(case for case in CASES if (case.kind, case.database) == (kind, "postgresql"))
    case = msgspec.structs.replace(case, promise=PROMISE)
    tried = []
    with here.rivals(case, USERS) as turn:

        def measure():
            figures = compare(case, USERS, turn, PAIRS, SECONDS, here.peer(case).title)
            tried.extend(figure.line for figure in figures)
            return figures

        throughput, cpu = until_fine(measure, lambda figures: all(figure.fine for figure in figures))
    with capsys.disabled():
        print("", *tried, sep="\n  ", end="")
    assert throughput.fine, tried
    assert cpu.fine, tried

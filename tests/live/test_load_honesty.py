"""Our users are not the bottleneck that they measure: close to pgbench in throughput, at a small cost in CPU."""

import pytest

from tests.bench.load_honesty import compare, rivals
from tests.quiet import until_fine
from tests.volume import times

PAIRS, SECONDS = times(4, 8), times(1, 2)

pytestmark = [pytest.mark.live, pytest.mark.alone]


@pytest.mark.parametrize("kind", ["osdb-ir", "osdb-oltp"])
def test_that_the_load_reaches_pgbench_at_no_more_than_twice_its_cpu(kind, capsys):
    tried = []
    with rivals(kind) as turn:

        def measure():
            figures = compare(kind, turn, PAIRS, SECONDS)
            tried.extend(figure.line for figure in figures)
            return figures

        throughput, cpu = until_fine(measure, lambda figures: all(figure.fine for figure in figures))
    with capsys.disabled():
        print("", *tried, sep="\n  ", end="")
    assert throughput.fine, tried
    assert cpu.fine, tried

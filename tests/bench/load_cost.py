"""Our users beside pgbench, sysbench and go-tpc: what `tests.bench.loads` measures, in few short turns."""

from tests.bench.loads.compare import measure

__all__ = ["measure"]

"""The documents of a run with a mix: the real engine on the made-up host, as short as can be."""

import time
from pathlib import Path

from scheduler.model.documents import Document, RunStarted
from scheduler.model.spec import RunSpec
from scheduler.plans.study_plan import count_certain_trials
from tests.unit.run.conftest import Bench


def mixed_documents(folder: Path, spec: RunSpec) -> list[Document]:
    """Run a plan and return all that came out of it."""
    bench = Bench(folder)
    bench.spec = spec
    facts = bench.host.facts()
    bench.run()
    first = RunStarted(
        t_s=0.0,
        run_id="20251009-085320-mix",
        spec=spec,
        facts=facts,
        wall_unix_s=time.time(),
        trials=count_certain_trials(spec),
    )
    return [first, *bench.documents]

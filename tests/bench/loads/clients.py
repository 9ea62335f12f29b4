"""What a second worker of a Dask cluster brings where the server is not the limit.

`python -m tests.bench.loads.clients` prints it.

Each update waits 20 ms in the server, asleep: a paced operation that costs next to no CPU, so that what limits the load
is how many users there are. One worker with `--users` and two with twice as many take turns (ABBA); the ratio is of
neighbouring turns, the clocks' errors and each worker's rate stand beside it.
"""

import argparse
import statistics
from collections.abc import Sequence

from scheduler.loads.load_protocols import LoadSecond
from tests.contract.cluster_fixture import KIND, Dask, running_cluster
from tests.contract.loads_contract import seconds_of
from tests.contract.postgres_fixture import Database, running_server

_PACE = (
    "CREATE OR REPLACE FUNCTION @.pace() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.02);"
    " RETURN NEW; END $$",
    "CREATE TRIGGER pace BEFORE UPDATE ON @.updates FOR EACH ROW EXECUTE FUNCTION @.pace()",
)


def measured(dask: Dask, database: Database, workers: Sequence[str], users: int, seconds: int) -> list[LoadSecond]:
    """Return the seconds of one turn, the first one after the start left out."""
    pool = dask.pool(database, users, workers=tuple(workers))
    try:
        pool.preflight()
        pool.prepare(KIND)
        for statement in _PACE:
            database.ask(statement)
        pool.start(KIND)
        found = seconds_of(pool, seconds + 1)[1 : seconds + 1]
        check = pool.stop()
        assert check is not None
        assert check.passed, check.text
        return found
    finally:
        database.ask("DROP FUNCTION IF EXISTS @.pace CASCADE")
        pool.close()


def main() -> None:
    """Take turns and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=4, help="on each worker")
    parser.add_argument("--seconds", type=int, default=6, help="of each turn")
    parser.add_argument("--rounds", type=int, default=4, help="pairs of turns")
    asked = parser.parse_args()
    ratios: list[float] = []
    with running_server() as database, running_cluster() as dask:
        for number in range(asked.rounds):
            rates: dict[int, float] = {}
            for many in (1, 2) if number % 2 == 0 else (2, 1):
                turn = measured(dask, database, ("0", "1")[:many], many * asked.users, asked.seconds)
                rates[many] = statistics.fmean(second.count for second in turn)
                each = {
                    name: statistics.fmean(second.clients[name].count for second in turn) for name in turn[0].clients
                }
                error_ms = 1000 * max(part.clock_error_s for second in turn for part in second.clients.values())
                cpu_pct = 100 * statistics.fmean(second.cpu_s for second in turn)
                parts = ", ".join(f"{name} {rate:.1f}" for name, rate in each.items())
                missing = sum(second.missing_users for second in turn)
                print(
                    f"{many} worker(s): {rates[many]:.1f}/s ({parts}), users' CPU {cpu_pct:.1f} % of one,"
                    f" clocks known to {error_ms:.1f} ms, {missing} reports missing",
                    flush=True,
                )
            ratios.append(rates[2] / rates[1])
    print(f"two over one: median {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()

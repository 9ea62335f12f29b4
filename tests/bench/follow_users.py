"""Users of `tests/bench/follow_live.py`: closed-loop sessions that turn from one kind of load to another.

python -m tests.bench.follow_users URL USERS TURN_S [KIND]

`bulk` moves 200 kB per operation, which costs the relay; `compute` adds up generated rows and answers with one number,
which costs the server. The password comes in PGPASSWORD. Ends when its input ends.
"""

import contextlib
import sys
import threading
import time
from importlib import import_module

from scheduler.databases.database_registry import open_database
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS

LOADS = {kind: LoadSpec(kind) for kind in ("bulk", "compute")}


def kind_at(elapsed_s: float, turn_s: float) -> str:
    return list(LOADS)[int(elapsed_s // turn_s) % 2]


def use(params, user: int, began_s: float, turn_s: float, only: str, ended: threading.Event) -> None:
    operations = {}
    for kind, load in LOADS.items():
        begin = BeginOrder(params, kind, load.tuples, seed=1, user=user, parameters=load.values)
        operations[kind] = import_module(LOAD_KINDS[kind].operation).connect_user(begin)
    while not ended.is_set():
        kind = only or kind_at(time.monotonic() - began_s, turn_s)
        if operations[kind](lambda: None) != 1:
            raise ValueError(f"a wrong answer under {kind}")


def main() -> None:
    url, users, turn_s = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    with contextlib.closing(open_database(url, "")) as database:
        for kind, load in LOADS.items():
            import_module(LOAD_KINDS[kind].workload).open_workload(load).prepare(database.session())
        params = database.params
    began_s, ended = time.monotonic(), threading.Event()
    print(f"{began_s}", flush=True)
    sessions = [
        threading.Thread(target=use, args=(params, user, began_s, turn_s, only, ended)) for user in range(users)
    ]
    for session in sessions:
        session.start()
    sys.stdin.read()
    ended.set()
    for session in sessions:
        session.join()


if __name__ == "__main__":
    main()

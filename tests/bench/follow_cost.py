"""What following costs by itself: CPU time of the process that follows and of its keeper, of one CPU.

python -m tests.bench.follow_cost [--for 2m] [--host made-up|local|both]

Measured from the first window on, with windows of ten seconds as ever, by the times that the kernel keeps of each
process and of the children that it has waited for. Hosts: a made-up one, a file; and `local:`, where the embedded
PostgreSQL and its relay run below quotas and its commits are counted (root; control groups of version 1).
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scheduler.model.observation_documents import FollowDone, ObservationWindow, decode_observation_line
from tests import apart
from tests.bench.figure import Figure

MOST_PCT = 0.5
_NAME = "domtune-cost-"
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_LIMITED = {"dialect": "cgroup", "weight": 100, "quota_us": 50_000, "period_us": 100_000}


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process and of its children that have ended, seconds (proc(5), fields 14 to 17)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS_PER_S


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def measured(name: str, words: list[str], span: str) -> Figure:
    """Follow; return the CPU time of following per second, percent of one CPU."""
    command = [sys.executable, "-m", "scheduler", "follow", *words, "--for", span, "--yes", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        began_s, at_first, windows, last = 0.0, 0.0, 0, None
        for line in process.stdout:
            last = decode_observation_line(line)
            if isinstance(last, ObservationWindow):
                now_s, used_s = time.monotonic(), sum(map(cpu_s, (process.pid, *children(process.pid))))
                began_s, at_first = (now_s, used_s) if not windows else (began_s, at_first)
                windows += 1
        process.wait()
    assert isinstance(last, FollowDone), "it did not end with a last line"
    if process.returncode or not last.restored or windows < 3:
        return Figure(name=name, value=float("nan"), note=f"{last.reason} {last.error}")
    used, passed_s = used_s - at_first, now_s - began_s
    note = f"{used:.2f} s of CPU in {passed_s:.0f} s, {windows - 1} windows, {last.moves} moves"
    return Figure(name=name, value=100 * used / passed_s, at_most=MOST_PCT, note=note)


def made_up(span: str) -> Figure:
    path = Path(os.environ["DOMTUNE_HOME"]) / "host.json"
    path.write_text(json.dumps({"io": _LIMITED, "guest": _LIMITED}))
    return measured("following a made-up host, % of a CPU", [f"fake:{path}"], span)


def local(span: str) -> Figure:
    """Follow the embedded database and its relay; they are idle or not, that costs them and not who follows."""
    from scheduler.hosts.host_registry import open_host
    from scheduler.model.scheduler_params import CgroupParams
    from scheduler.model.split import GUEST, IO

    host = open_host("local:", lambda *_: None)
    host.boot()
    weight = host.baseline(IO).weight
    try:
        for domain in (IO, GUEST):
            host.write(domain, CgroupParams(weight, 10_000, 20_000))
        host._claim.release()  # whoever set these limits is not there any more; the processes are
        os.environ["PGPASSWORD"] = host.database.secret()
        words = ["local:", "--database", host.database.reference_url(), "--account", "50"]
        with _users(host.database.url()):
            return measured("following local:, % of a CPU", words, span)
    finally:
        for domain in (IO, GUEST):
            host.write(domain, None)
        host.close()


@contextlib.contextmanager
def _users(url: str):
    """Four users who read for as long as it lasts: an idle pair would be held, and nothing decided."""
    command = [sys.executable, "-m", "tests.bench.follow_users", url, "4", "60"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as users:
        users.stdout.readline()
        try:
            yield
        finally:
            users.communicate(timeout=120)


def main() -> int:
    """Print each figure; return 1 where one is not as promised."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--for", dest="span", default="2m")
    parser.add_argument("--host", choices=("made-up", "local", "both"), default="both")
    parser.add_argument("--inside", default="")
    arguments = parser.parse_args()
    if arguments.inside:
        apart._enter(arguments.inside)
        figure = local(arguments.span)
        print(figure.line, flush=True)
        return 0 if figure.fine else 1
    codes = []
    with tempfile.TemporaryDirectory(prefix="domtune-cost-") as home:
        Path(home).chmod(0o755)
        os.environ["DOMTUNE_HOME"] = home
        if arguments.host != "local":
            figure = made_up(arguments.span)
            print(figure.line, flush=True)
            codes.append(not figure.fine)
        if arguments.host != "made-up":
            codes.append(_apart(arguments.span))
    return int(any(codes))


def _apart(span: str) -> int:
    """Measure `local:` in control groups of our own."""
    if not apart.possible():
        print("not measured: local: needs root, and control groups of version 1", file=sys.stderr)
        return 0
    name = f"{_NAME}{os.getpid()}"
    try:
        words = [sys.executable, "-m", "tests.bench.follow_cost", "--inside", name, "--for", span]
        return subprocess.run(words, check=False).returncode
    finally:
        apart._clear(name)


if __name__ == "__main__":
    sys.exit(main())

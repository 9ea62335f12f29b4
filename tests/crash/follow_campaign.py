"""Controller, keeper and window killed in each order: `python -m tests.crash.follow_campaign [--count 30]`.

Real ones: the window follows a made-up host as a person has it followed, with every time limit as it is. Each round
kills all three, 0 to 20 s after the host was changed and with pauses between that are drawn. Of five times six rounds,
one for each order, the third stops the controller and spares the keeper, which has to notice within a minute, and the
fourth stops the controller and kills the keeper. Then the host has to read as found: put back by whoever was left, or,
where nobody was, by `domtune restore`. Rounds run side by side, since they mostly wait: 30 take five minutes. Exit code
0 only when all are as found and no process is left.
"""

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.crash.follow_world import LIMITED, alive
from tests.crash.test_follow_detached import first_static
from tests.crash.trial import REPO, environment, records_in

WHO = ("controller", "local_guard", "window")
_TURN = 5  # times every order
_LATEST_S = 20.0  # two windows
_START_S = 180.0  # it looks for half a minute first
_BACK_S = 180.0  # the keeper waits for a minute
_LOOK_S = 0.25


class Plan(NamedTuple):
    """One round: who goes in which order, when the first, and how long after each one the next.

    `stops`: the controller is stopped, not killed; `spares`: the keeper is left.
    """

    order: tuple[str, ...]
    stops: bool
    spares: bool
    after_s: float
    gaps_s: tuple[float, ...]


class Outcome(NamedTuple):
    """What came of it: who put the host back, how long after the last signal, and what is wrong."""

    plan: Plan
    by: str
    took_s: float
    problems: tuple[str, ...] = ()


def plans(count, seed):
    """Return the rounds: every order as often."""
    dice, orders = random.Random(seed), list(itertools.permutations(WHO))
    return [
        Plan(
            orders[number % len(orders)],
            number // len(orders) % _TURN in (2, 3),
            number // len(orders) % _TURN == 2,
            dice.uniform(0.0, _LATEST_S),
            tuple(dice.choice((0.0, dice.uniform(0.0, 2.0), dice.uniform(2.0, 15.0))) for _ in WHO[1:]),
        )
        for number in range(count)
    ]


class Trial:
    """A made-up host, a window that follows it, and what is to be seen of both."""

    def __init__(self, home):
        self.home, self.file = home, home / "host.json"
        self.file.write_text(json.dumps({"io": LIMITED, "guest": LIMITED}))
        self.found = self.read()
        words = [sys.executable, "-m", "tests.crash.follow_window", f"fake:{self.file}", str(first_static())]
        with (home / "window.log").open("wb") as log:
            self.window = subprocess.Popen(
                words, cwd=REPO, env=environment(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log
            )
        self.pids = {"window": self.window.pid}

    def read(self):
        return json.loads(self.file.read_bytes())

    def begin(self):
        """Wait until the host is changed; return why it was not."""
        said = self.window.stdout.readline().decode().strip()
        if not said.isdigit():
            return f"it did not begin to follow: {said or 'the window ended'}"
        self.pids["controller"] = int(said)
        if not until(lambda: self.read() != self.found and records_in(self.home), _START_S):
            return f"the host was not changed within {_START_S:.0f} s"
        children = psutil.Process(self.pids["controller"]).children()
        self.pids["local_guard"] = next(
            child.pid for child in children if "local_guard_process" in " ".join(child.cmdline())
        )
        return ""

    def strike(self, plan):
        """Kill all three, or what the plan says."""
        pause(plan.after_s)
        for who, gap_s in zip(plan.order, (*plan.gaps_s, 0.0), strict=True):
            stopped = plan.stops and who == "controller"
            if alive(self.pids[who]) and not (plan.spares and who == "local_guard"):
                os.kill(self.pids[who], signal.SIGSTOP if stopped else signal.SIGKILL)
            if who == "window":
                self.window.wait(30)
            pause(gap_s)

    def is_back(self):
        return self.read() == self.found and not records_in(self.home)

    def running(self):
        """Return the processes of this home that run, stopped ones left out."""
        return [pid for pid, state in self.processes() if state != "T"]

    def processes(self):
        """Return number and state of every process of this home."""
        mark, found = f"DOMTUNE_HOME={self.home}".encode(), []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append((int(folder.name), (folder / "stat").read_text().rpartition(")")[2].split()[0]))
            except OSError:  # it ended while we looked
                continue
        return [(pid, state) for pid, state in found if state not in "ZX"]

    def restore(self):
        """Put it back by hand, as a person does who finds the record; return what went wrong."""
        for pid, _ in self.processes():  # only who is stopped
            os.kill(pid, signal.SIGKILL)
        words, env = [sys.executable, "-m", "scheduler", "restore", "--json"], environment(self.home)
        done = subprocess.run(words, cwd=REPO, env=env, capture_output=True, timeout=120, check=False)
        return "" if done.returncode == 0 else f"restore exited {done.returncode}: {done.stdout.decode()[-300:]}"

    def wake(self):
        """Let go on who is stopped; return whether anybody was. No write may follow."""
        stopped = [pid for pid, state in self.processes() if state == "T"]
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        return bool(stopped)

    def close(self):
        for pid, _ in self.processes():
            os.kill(pid, signal.SIGKILL)
        self.window.stdout.close()
        self.window.wait(30)


def run(home, plan):
    """Carry out one round."""
    home.mkdir()
    trial = Trial(home)
    try:
        wrong = trial.begin()
        if wrong:
            return Outcome(plan, "nobody", 0.0, (wrong, (home / "window.log").read_text(errors="replace")[-300:]))
        trial.strike(plan)
        began_s, problems = time.monotonic(), []
        until(lambda: not trial.running(), _BACK_S)
        problems += [f"still runs: {pid}" for pid in trial.running()]
        took_s, by = time.monotonic() - began_s, "those left"
        if not trial.is_back():
            by = "restore"
            problems += filter(None, [trial.restore()])
        elif trial.wake():
            until(lambda: not trial.processes(), _BACK_S)
        if not trial.is_back():
            problems.append(f"not as found: {trial.read()}, records: {records_in(home)}")
        problems += [f"left running: {pid} {state}" for pid, state in trial.processes()]
        return Outcome(plan, by, took_s, tuple(problems))
    finally:
        trial.close()


def until(ready, limit_s):
    deadline_s = time.monotonic() + limit_s
    while not ready():
        if time.monotonic() > deadline_s:
            return False
        pause(_LOOK_S)
    return True


def pause(seconds_s):
    time.sleep(seconds_s)  # noqa: TID251 - real processes, no event to wait for


def campaign(count, seed, at_once):
    """Run them; return what came of each."""
    with tempfile.TemporaryDirectory(prefix="domtune-follow-") as folder, ThreadPoolExecutor(at_once) as pool:
        rounds = plans(count, seed)
        homes = [Path(folder) / str(number) for number in range(count)]
        return list(pool.map(_told, homes, rounds))


def _told(home, plan):
    outcome = run(home, plan)
    marks = {"controller": " (stopped)" if plan.stops else "", "local_guard": " (spared)" if plan.spares else ""}
    how = " ".join(f"{who}{marks.get(who, '')}" for who in plan.order)
    verdict = "; ".join(outcome.problems) or f"as found, by {outcome.by}, {outcome.took_s:.1f} s after the last"
    print(f"{home.name:>4} {how:48} after {plan.after_s:4.1f} s: {verdict}", flush=True)
    return outcome


def main() -> int:
    """Run the campaign and print a line per round, and a tally."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=10)
    arguments = parser.parse_args()
    outcomes = campaign(arguments.count, arguments.seed, arguments.at_once)
    fine = [outcome for outcome in outcomes if not outcome.problems]
    tally = Counter(outcome.by for outcome in fine)
    longest_s = max((outcome.took_s for outcome in fine), default=0.0)
    by = ", ".join(f"{count} by {who}" for who, count in sorted(tally.items()))
    print(f"{len(fine)} of {len(outcomes)} as found ({by}); longest {longest_s:.0f} s after the last signal")
    return 0 if len(fine) == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())

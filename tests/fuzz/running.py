"""Cases one after the other, each with its time; what comes out beside an error of ours is a finding."""

import json
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random

from scheduler.errors import SchedulerError

GROUPS = ("toolstacks", "hypervisors", "lines", "loads", "xapi", "files", "words", "databases")
LIMIT_S = 10.0
MEMORY_BYTES = 1 << 30
Target = Callable[[Random], object]


class TooLong(BaseException):
    """A case takes longer than anybody would wait."""


def run(targets: Mapping[str, Target], first: int, count: int) -> Iterator[dict[str, object]]:
    """Run cases; yield each finding: target, seed, what came out."""
    _limit_memory()
    signal.signal(signal.SIGALRM, _late)
    names = sorted(targets)
    for seed in range(first, first + count):
        name = names[seed % len(names)]
        begun_s = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
        try:
            targets[name](Random(f"{name} {seed}"))
        except SchedulerError:
            pass
        except (Exception, TooLong) as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{where.filename.rpartition('/')[2]}:{where.lineno}"
            yield {"target": name, "seed": seed, "error": f"{type(error).__name__}: {error}"[:300], "place": place}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if time.monotonic() - begun_s > LIMIT_S:
            yield {"target": name, "seed": seed, "error": f"took {time.monotonic() - begun_s:.0f} s", "place": ""}


def tell(targets: Mapping[str, Target], first: int, count: int) -> int:
    """Run cases and print the findings as JSON lines, then how many were run; return how many were found."""
    found = 0
    for finding in run(targets, first, count):
        found += 1
        print(json.dumps(finding), flush=True)
    print(json.dumps({"cases": count, "found": found}))
    sys.stdout.flush()
    return found


def _limit_memory() -> None:
    """Let a case that eats memory fail here, not this computer."""
    now_bytes = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now_bytes + MEMORY_BYTES,) * 2)


def _late(number: int, frame: object) -> None:
    raise TooLong(f"longer than {LIMIT_S:g} s")

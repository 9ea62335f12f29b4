"""The trial of `watch_live`, in control groups of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from scheduler import places
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.setting import BASELINE
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, parse_split
from scheduler.shares.model_lookup import share_model_for_host
from tests.lab.busy import ready
from tests.settings import json_label

_ENDS = ("1:5", "1:1", "5:1")
_SPLITS = ("1:1", "1:2", "1:5", "1:10", "2:1", "2:5", "5:1", "5:2", "10:1")
_PERIOD_US = 20_000
_OF_THE_BEST = 0.95
_TUPLES = 10_000
_WRITES = re.compile(r'open(?:at)?\([^"]*"([^"]+)", [^)]*O_(?:WRONLY|RDWR|CREAT)')
_OWN = ("/dev/", "/proc/self/", "pipe:")


def trial(arguments):
    """Run it; return 0 when all three are good enough, and nothing was written."""
    home = Path(os.environ["DOMTUNE_HOME"])
    named, written = _watched(arguments, home)
    rates = _swept(arguments, home, named.values())
    best = max(rates, key=rates.__getitem__)
    print(f"a sweep's best: {best}, {rates[best]:.0f} {LOAD_KINDS[arguments.kind].unit}")
    fine = [_told(end, split, rates.get(split, 0.0) / rates[best] if split else 0.0) for end, split in named.items()]
    print(f"files that watching opened to write to: {', '.join(sorted(written)) or 'none'}")
    return 0 if all(fine) and not written else 1


def _told(end, split, part):
    print(f"watched at {end}: {split or 'no split'} gives {part:.1%} of the best rate")
    return part >= _OF_THE_BEST


def _watched(arguments, home):
    """Return what was named at each end, and what was opened to be written to."""
    host = open_host("local:", ignore_command)
    host.boot()
    facts = host.facts()
    model, named, written = share_model_for_host(facts), {}, set()
    try:
        with ready(
            host.database.url(), host.database.secret(), arguments.users, facts.client_cpus, arguments.kind, _TUPLES
        ) as start:
            start()
            for end in _ENDS:
                for domain, params in model.encode(parse_split(end), Mode.CAPS, _PERIOD_US).params.items():
                    host.write(domain, params)
                host._claim.release()  # whoever set this is not there any more; the processes are
                before = {domain: host.read(domain) for domain in (IO, GUEST)}
                answer, opened = _watch(arguments.watch_s, home / "strace")
                written |= opened
                if {domain: host.read(domain) for domain in (IO, GUEST)} != before:
                    written.add(f"what is set at {end}")
                named[end] = answer["split"]
                print(f"{end}: {answer['headline']} {answer['split_low']} to {answer['split_high']} as good")
    finally:
        for domain in (IO, GUEST):
            host.write(domain, None)
        host.close()
    return named, written


def _watch(watch_s, trace):
    """Return what watching came to, and the files that it opened to write to, its own home apart."""
    command = [sys.executable, "-m", "scheduler", "watch", "local:", "--for", f"{watch_s}s", "--json", "--quiet"]
    traced = shutil.which("strace") is not None
    if traced:
        command = ["strace", "-f", "-qq", "-e", "trace=open,openat", "-o", str(trace), *command]
    answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    if not traced:
        print("strace is not installed: what was opened is not known")
        return answer, set()
    opened = set(_WRITES.findall(trace.read_text("utf-8", "replace")))
    own = (*_OWN, str(places.home_dir()))
    return answer, {path for path in opened if not path.startswith(own)}


def _swept(arguments, home, named):
    """Return the rate at each split, among them those that were named."""
    splits = list(dict.fromkeys([*_SPLITS, *(split for split in named if split)]))
    plan = home / "sweep.toml"
    plan.write_text(
        f'host = "local:"\nmode = "caps"\nprotocol = "grid"\nrepeats = {arguments.blocks}\n'
        f"measure_s = {arguments.measure_s}\nsplits = {json.dumps(splits)}\n"
        f'[[load]]\nkind = "{arguments.kind}"\nusers = {arguments.users}\ntuples = {_TUPLES}\n'
    )
    command = [sys.executable, "-m", "scheduler", "run", str(plan), "--json", "--quiet"]
    results = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    if not results["restored"]:
        raise RuntimeError("the sweep did not give the computer back")
    rates = {json_label(point): point["mean_tps"] for point in results["points"] if json_label(point) != BASELINE}
    print(", ".join(f"{split} {rate:.0f}" for split, rate in rates.items()))
    return rates

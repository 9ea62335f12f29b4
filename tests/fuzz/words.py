"""What people and scripts write on the command line: words, options, names, in a home with one simulated sweep."""

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

from scheduler import places
from scheduler.commands.parser import main
from scheduler.stats.results import summarise_run
from scheduler.store.run_store import open_store
from tests.data_maker import make_documents
from tests.fuzz.spoiling import NUMBERS, PIECES, spoil

_RUN = "one"
_PLAN = 'name = "x"\nhost = "sim:"\nsplits = ["1:2", "1:1"]\nprotocol = "grid"\nmeasure_s = 1\n'
# Nothing here reaches a host, a network, or a folder beside that of the case: no path has a slash.
_LINES = (
    "run plan.toml --dry-run --json",
    "run plan.toml --dry-run --continue one",
    "run plan.toml --continue nobody --quiet",
    "try plan.toml --seconds 1 --json",
    "probe sim: --io Domain-0 --guest db1 --json",
    "probe sim:?scheduler=credit2",
    "restore --list --json",
    "restore --forget nobody --json",
    "apply one --dry-run --json",
    "apply one --split 2:5 --dry-run --json",
    "apply --list --json",
    "revert sim: --dry-run --json",
    "host-setup domtune --out made",
    "trust sim: --fingerprint SHA256:abc --json",
    "check-database postgresql://me@/bank?host=nowhere --json",
    "runs --json",
    "runs one --json",
    "runs one --rename other --tag a b --note text",
    "runs one --delete --json",
    "runs one --undelete",
    "runs --deleted",
    "export one --to csv --out made",
    "export one --to json --force",
    "export one --to html --out made.html --force",
    "export one --to bundle --split 1:2",
    "export one --to machine",
    "watch nowhere: --for 1m --json",
    "--version",
)


@cache
def _store() -> bytes:
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        path = Path(folder, "runs.sqlite3")
        with open_store(path) as store:
            documents = make_documents(repeats=1, trials=3, run_id=_RUN)
            for document in documents:
                store.append(_RUN, document)
            store.keep_results(_RUN, summarise_run(documents))
        return path.read_bytes()


@contextlib.contextmanager
def _home() -> Iterator[None]:
    before, here = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory(prefix="domtune-fuzz-") as folder:
        os.environ.update(DOMTUNE_HOME=f"{folder}/home", DOMTUNE_SCOPED="1")
        os.chdir(folder)
        try:
            places.store_path().parent.mkdir(parents=True)
            places.store_path().write_bytes(_store())
            Path("plan.toml").write_text(_PLAN)
            yield
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)


def _spoilt(rng: Random) -> list[str]:
    words: list[str] = [*rng.choice(_LINES).split()]
    for _ in range(rng.randint(0, 2)):
        at = rng.randrange(len(words))
        match rng.randrange(5):
            case 0:
                words[at] = spoil(rng, words[at])
            case 1:
                words.insert(at, rng.choice((*NUMBERS, *PIECES, "--", "-", "--json")))
            case 2:
                words[at:] = [*words[at + 1 :], words[at]]
            case 3:
                words.insert(at, words[rng.randrange(len(words))])
            case _:
                del words[at]
        if not words:
            break
    return [word.replace("\0", "").encode("utf-8", "surrogateescape").decode("utf-8", "replace") for word in words]


def command_line(rng: Random) -> object:
    """No command line is a bug, and with `--json` the answer is one object."""
    words, out, reported = _spoilt(rng), io.StringIO(), io.StringIO()
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO())
    try:
        with _home(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(reported):
            code = _code_of(words)
    finally:
        sys.stdin = stdin
    assert "a bug ended" not in reported.getvalue(), f"{words}: {reported.getvalue()}"
    assert code in range(6), f"{words}: {code}"
    if "--json" in words and out.getvalue() and not {"--", "--help", "-h", "--version"} & set(words):
        json.loads(out.getvalue())
    return code


def _code_of(words: list[str]) -> object:
    try:
        return main(words)
    except SystemExit as end:
        return end.code or 0


TARGETS = {"command_line": command_line}

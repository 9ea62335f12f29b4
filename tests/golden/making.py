"""Make the golden files: run each case in this process, on simulated and fake hosts, and return its texts.

Clock, run id, host id and version come into a run with its first document: that document is replaced in the store,
before anything is derived from the run. Paths are relative to the case's folder.
"""

import contextlib
import difflib
import io
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import singledispatch
from pathlib import Path
from unittest.mock import patch

import msgspec

from app.wizard.plan_texts import review_paragraph, time_needed, trials_text
from app.wizard.review_page import build_review_rows
from app.wizard.sweep_estimate import adapt_to_host
from scheduler import places
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.parser import main
from scheduler.export.bundle import bundle_texts
from scheduler.export.material import ExportMaterial
from scheduler.model.documents import RunStarted
from scheduler.model.host_properties import HostProperties
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.spec import RunSpec
from scheduler.stats.results import summarise_run
from scheduler.store.run_store import RunStore
from tests.data_maker import WALL_UNIX_S, make_documents, make_facts, make_spec
from tests.decisions import ordering
from tests.golden.cases import BUNDLES, CASES, Bundle, Command, Plan, Sweep
from tests.golden.formats import format_json, format_report, round_numbers
from tests.simulated_time import simulated_time
from tests.unit.export.domain_bundle import HOSTS, facts_of

RUN = "20251009T085320-golden"
EXPECTED = Path(__file__).with_name("expected")
Texts = Mapping[str, str]


def make_case(name: str) -> Texts:
    """Return the texts of a case, file name to content."""
    with _empty_home(), simulated_time():
        return _make(CASES[name])


def read_golden(name: str) -> Texts:
    """Return the golden files of a case as they are on disk, file name to content."""
    folder = EXPECTED / name
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())} if folder.exists() else {}


def write_all() -> None:
    """Write the golden files of all cases and remove all others; where one case fails, all files stay as they were."""
    made = {name: make_case(name) for name in CASES}
    shutil.rmtree(EXPECTED, ignore_errors=True)
    for name, texts in made.items():
        (EXPECTED / name).mkdir(parents=True)
        for file, text in texts.items():
            (EXPECTED / name / file).write_text(text, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def _empty_home() -> Iterator[None]:
    """Work in an empty folder, which is DomTune's home, in UTC."""
    with contextlib.ExitStack() as left:
        left.callback(time.tzset)
        folder = left.enter_context(tempfile.TemporaryDirectory())
        left.enter_context(contextlib.chdir(folder))
        left.enter_context(patch.dict(os.environ, {"DOMTUNE_HOME": folder, "TZ": "UTC"}))
        time.tzset()
        yield


@singledispatch
def _make(case: object) -> Texts:
    raise TypeError(f"no golden files are made of {case}")


@_make.register
def _(case: Sweep) -> Texts:
    Path("plan.toml").write_text(case.plan, encoding="utf-8")
    _write_machine(case.machine)
    dry_run = _run_command("run", "plan.toml", "--dry-run")  # before the run: a failed run leaves the host changed
    _run_command("run", "plan.toml", "--quiet")
    started = _replace_first_document()
    return {name: dry_run if name == "dry-run.txt" else OUTPUTS[name](started) for name in case.makes}


@_make.register
def _(case: Command) -> Texts:
    _write_machine(case.machine)
    return {"output.txt": round_numbers(_run_command(*case.words))}


@_make.register
def _(case: Plan) -> Texts:
    spec = parse_plan(case.text)
    return {"plan.toml": write_plan(spec), "review.txt": _review(spec, None)}


@_make.register
def _(case: Bundle) -> Texts:
    material = _make_material(case)
    texts = _bundle_values(material)
    if not case.based_on:
        whole = "".join(f"======== {name}\n{text}" for name, text in texts.items())
        return {"bundle.txt": whole, "review.txt": _review(material.spec, material.facts)}
    base = _bundle_values(_make_material(BUNDLES[case.based_on]))
    return {"differences.diff": "".join(_diff(base, texts))}


def _bundle_values(material: ExportMaterial) -> Texts:
    """Return the files of a bundle that depend on the sweep: its scripts are the same in every bundle."""
    texts = bundle_texts(ordering(material))
    return {name: text for name, text in texts.items() if not name.endswith(".sh")}


def _diff(base: Texts, texts: Texts) -> Iterator[str]:
    for name in sorted({*base, *texts}):
        before, after = (each.get(name, "").splitlines(keepends=True) for each in (base, texts))
        yield from difflib.unified_diff(before, after, f"base/{name}", f"this/{name}", n=0)


def _make_material(case: Bundle) -> ExportMaterial:
    """Return a made-up sweep of a kind of host whose decision orders 1:2."""
    url, mode, _ = HOSTS.get(case.kind, ("local:", case.mode, {}))
    facts = facts_of(case.kind) if case.kind in HOSTS else make_facts(scheduler=case.kind)
    spec = make_spec(url, splits=("1:2", "1:10"), mode=mode, kinds=("osdb-oltp",), repeats=6)
    spec = msgspec.structs.replace(spec, period_us=100_000)
    documents = make_documents(samples=False, spec=spec, facts=facts, noise=0.002)
    return ExportMaterial(summarise_run(documents), spec, facts)


def _write_machine(machine: Mapping[str, object]) -> None:
    if machine:
        Path("machine.json").write_text(json.dumps(machine), encoding="utf-8")


def _run_command(*words: str) -> str:
    """Call the command line in this process; return all that it printed, with the exit code where that is not 0."""
    out, problems = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(problems),
        patch("sys.stdin", io.TextIOWrapper(io.BytesIO())),
        patch("scheduler.commands.parser.log_to_file", lambda verbose: None),
    ):
        code = main(words)
    if code == ExitCode.ABORTED:  # Ctrl+C ends a sweep in good order: its results are no golden ones
        raise KeyboardInterrupt
    failed = f"exit code {int(code)}\n{problems.getvalue()}" if code else ""
    return f"{out.getvalue()}{failed}"


def _replace_first_document() -> RunStarted:
    """Store the run again under a fixed id, as if it had begun at a fixed time on a host with a fixed id."""
    with RunStore(places.store_path()) as store:
        [entry] = store.runs()
        first, *others = store.documents(entry.run_id)
        assert isinstance(first, RunStarted)
        facts = msgspec.structs.replace(first.facts, host_id="golden")
        values = {"run_id": RUN, "wall_unix_s": WALL_UNIX_S, "domtune_version": "0.1.0", "facts": facts}
        started = msgspec.structs.replace(first, **values)
        store.drop(entry.run_id)
        for document in (started, *others):
            store.append(RUN, document)
    return started


def _export(kind: str, suffix: str) -> str:
    """Export the run once per kind; return the file with that suffix, or the reason why there is none."""
    written = Path(f"export-{kind}{suffix}")
    refusal = "" if written.exists() else _run_command("export", RUN, "--to", kind, "--out", f"export-{kind}")
    return written.read_text(encoding="utf-8") if written.exists() else refusal


def _review(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the texts of the wizard's last page.

    Args:
        spec: The plan.
        facts: The host's answer; None before there is one.
    """
    spec = adapt_to_host(spec, facts)
    facts_of_plan = [f"{row.name}: {row.text}" for row in build_review_rows(spec, facts)]
    return "\n".join(
        (*facts_of_plan, f"{trials_text(spec)}, {time_needed(spec)}", "", review_paragraph(spec, facts), "")
    )


OUTPUTS: Mapping[str, Callable[[RunStarted], str]] = {
    "review.txt": lambda started: _review(parse_plan(Path("plan.toml").read_text(encoding="utf-8")), started.facts),
    "result.txt": lambda _: _run_command("runs", RUN),
    "results.json": lambda _: format_json(_export("json", ".json")),
    "report.txt": lambda _: format_report(_export("html", ".html")),
    "points.csv": lambda _: round_numbers(_export("csv", ".csv")),
    "trials.csv": lambda _: round_numbers(_export("csv", "-trials.csv")),
    "plan.toml": lambda _: _export("plan", ".toml"),
    "machine.json": lambda _: format_json(_export("machine", ".json")),
}

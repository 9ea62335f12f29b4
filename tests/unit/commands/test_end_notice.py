"""`--notify PROGRAM`: a real program gets the end of the run, without a shell."""

import json

import pytest

from scheduler.commands.end_notice import EndNotice
from scheduler.errors import SpecError
from scheduler.model.documents import RunOutcome
from scheduler.model.run_end import SWEEP_END, RunEnd

END = RunEnd(SWEEP_END, "local:", RunOutcome.FAILED, restored=True, reason="the database died; see $(touch hit)")
_PROGRAM = """#!/bin/sh
printf '%s\\n' "$1" "$DOMTUNE_NOTICE" "$DOMTUNE_OUTCOME" "$DOMTUNE_RESTORED" "$PGPASSWORD" >"$0.out"
"""


@pytest.fixture
def program(tmp_path):
    made = tmp_path / "tell me"
    made.write_text(_PROGRAM)
    made.chmod(0o755)
    return made


def test_program_gets_sentence_and_outcome_without_a_shell(program, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "secret")
    EndNotice(f"'{program}' '$(touch hit) *'").send(END)
    text = "The sweep of local: failed: the database died; see $(touch hit)."
    assert (program.parent / "tell me.out").read_text().splitlines() == ["$(touch hit) *", text, "failed", "yes", ""]


@pytest.mark.parametrize(
    ("script", "why"), [("exit 3", "exit code 3"), ("while :; do :; done & wait", "it has not ended within 0.2 s")]
)
def test_failure_of_the_program_is_only_reported(program, monkeypatch, capsys, script, why):
    monkeypatch.setattr("scheduler.commands.end_notice.NOTICE_LIMIT_S", 0.2)
    program.write_text(f"#!/bin/sh\n{script}\n")
    EndNotice(f"'{program}'").send(END)
    assert f"The program of --notify failed: {why}. The run itself is not affected." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["/nonexistent/program now", "'unfinished"])
def test_wrong_program_is_refused_before_the_run(command):
    with pytest.raises(SpecError, match="--notify"):
        EndNotice(command)


def test_commands_start_the_program_at_their_end(call, program):
    plan = program.parent / "plan.toml"
    plan.write_text('host = "sim:?seed=1"\nsplits = ["1:1", "1:2"]\nprotocol = "grid"\nrepeats = 1\nmeasure_s = 4\n')
    done = call("run", str(plan), "--json", "--quiet", "--notify", f"'{program}' sweep")
    assert json.loads(done.out)["outcome"] == "completed", done.err
    _, text, outcome, *_ = (program.parent / "tell me.out").read_text().splitlines()
    assert (text, outcome) == ("The sweep of sim:?seed=1 is complete. The host is restored.", "completed")
    watched = call("watch", "sim:?load=osdb-ir&split=1:2", "--for", "1m", "--json", "--notify", f"'{program}' watch")
    assert watched.code == 0, watched.err
    assert (program.parent / "tell me.out").read_text().splitlines()[1].startswith("Watching sim:?load=")

"""The own command: what a plan may ask to have run, what its lines mean, and that nothing is run unseen."""

import json
import re
import socket

import pytest

from scheduler.commands.code_consent import code_sentences, require_consent
from scheduler.commands.parser import main
from scheduler.errors import LoadError, SpecError
from scheduler.loads.command import command_engine as command
from scheduler.loads.command.command_line import check_pattern, split_command
from scheduler.loads.command.rate_reader import GROWTHS, FigureHistory, RateReader
from scheduler.loads.engines.program import ProgramLine
from scheduler.loads.user_messages import BeginOrder
from scheduler.model.consent import FULL_CONSENT, NO_CONSENT, Consent
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.plan_file import parse_plan, write_plan

PLAN = "host = '{host}'\n[[load]]\nkind = 'command'\ncommand = {command}\n"


def values(text: str = "", pattern: str = "") -> dict:
    default = {each.name: each.default for each in LOAD_KINDS["command"].parameters}
    return {**default, "command": text, **({"pattern": pattern} if pattern else {})}


def plan_of(text: str, host: str = "local:"):
    return parse_plan(PLAN.format(host=host, command=json.dumps(text)))


def read(pattern: str, *lines: tuple[float, str]):
    reader = command.CommandLines(RateReader(check_pattern(values(pattern=pattern))), 1.0, FigureHistory(GROWTHS))
    found, since_s = [], 0.0
    for heard_s, text in lines:
        reported = reader.read(ProgramLine(heard_s, text), since_s)
        if reported is not None:
            found.append(reported)
            since_s = reported.until_s
    reader.close()
    return found


def test_command_is_split_and_never_given_to_a_shell():
    words = split_command(values("sh -c 'echo $HOME; rm -rf x' {users} a{host}b"), {"users": "5", "host": "h; rm y"})
    assert words[0].endswith("/sh")
    assert words[1:] == ("-c", "echo $HOME; rm -rf x", "5", "ah; rm yb")


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", SpecError, "none given"),
        ("   ", SpecError, "none given"),
        ("sh -c 'x", SpecError, "No closing quotation"),
        ("./here", SpecError, "relative to a folder"),
        ("bin/../sh", SpecError, "relative to a folder"),
        ("no-such-program-of-anybody 1", LoadError, "is not there"),
        ("/no/such/program", LoadError, "is not there"),
    ],
)
def test_command_that_cannot_be_run_is_refused_with_its_reason(text, error, said):
    with pytest.raises(error, match=said) as refused:
        split_command(values(text), {})
    assert refused.value.hint


def test_program_of_the_current_folder_is_not_found_there(monkeypatch, tmp_path):
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in ("", ".", ":/usr/bin", ".:/usr/bin"):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(LoadError, match="is not there"):
            split_command(values("mine"), {})


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(?P<rate>", "is no pattern"),
        ("tps", "its named groups are none"),
        ("(?P<rate>1)(?P<count>2)", "its named groups are count, rate"),
        ("(?P<rate>1)(?P<speed>2)", "its named groups are rate, speed"),
        ("(?P<errors>1)", "its named groups are errors"),
    ],
)
def test_pattern_without_a_rate_is_refused(pattern, said):
    with pytest.raises(SpecError, match=said):
        check_pattern(values(pattern=pattern))


def test_rate_counts_for_its_time_and_a_count_as_it_is():
    rates = read("tps: (?P<rate>[0-9.]+)", (5.0, "connected"), (6.0, "tps: 100"), (6.5, "tps: 200"), (7.5, "tps: 0"))
    assert [(reported.since_s, reported.until_s, reported.count) for reported in rates] == [
        (5, 6, 100),
        (6, 6.5, 100),
        (6.5, 7.5, 0),
    ]
    counts = read(
        "(?P<count>[0-9]+) done, (?P<errors>[0-9]+) failed", (6.0, "7 done, 0 failed"), (8.0, "9 done, 2 failed")
    )
    assert [(reported.count, reported.errors) for reported in counts] == [(7, 0), (9, 2)]


def test_service_times_are_reported_by_what_the_pattern_calls_them():
    (reported,) = read("(?P<rate>[0-9]+) (?P<latency_ms>[0-9.]+) (?P<p95_ms>[0-9.x]+)", (6.0, "7 0.5 2.5"))
    assert reported.times_ms == {"latency": 0.5, "p95": 2.5}
    (reported,) = read("(?P<rate>[0-9]+) (?P<latency_ms>[0-9.]+) (?P<p95_ms>[0-9.x]+)", (6.0, "7 0.5 x"))
    assert reported.times_ms == {"latency": 0.5}


@pytest.mark.parametrize("figure", ["1e308", "inf", "nan", "-1", "1" * 400, ""])
def test_what_is_no_rate_does_not_count(figure):
    assert read("r(?P<rate>.*)", (1.0, f"r{figure}")) == []


def test_program_finds_the_database_and_not_the_password_on_its_command_line():
    connection = {"host": "h", "port": "5433", "user": "u", "dbname": "n", "password": "top:secret"}
    begin = BeginOrder(connection, "command", 0, 1, 0, (), values("sh {host} {port} {user} {database} {users}"))
    job = command.CommandScript(begin, 7).job()
    assert job.words[1:] == ("h", "5433", "u", "n", "7")
    assert {"PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "DOMTUNE_USERS"} <= set(job.environment)
    assert job.environment["LC_ALL"] == "C"
    assert "secret" not in repr(job) + str(job.environment) + " ".join(job.words)
    assert job.password_file == "*:*:*:*:top\\:secret\n"


@pytest.mark.parametrize("text", ["echo\ta", "a\nb", "a\x1b[2Jb", "a\u202eb", "x" * 1001])
def test_plan_holds_no_command_that_people_cannot_see_whole(text):
    with pytest.raises(SpecError, match=r"load\[0\]\.command: .*(unprintable|1001 letters)"):
        plan_of(text)


def test_plan_with_a_command_comes_back_as_it_was():
    spec = plan_of("""sh -c "echo '1 tps'" """)
    assert parse_plan(write_plan(spec)) == spec


def test_no_one_runs_a_command_unseen():
    spec = plan_of("touch /tmp/x")
    words = r"a command runs on this computer, (as root|with your rights): touch /tmp/x"
    (text,) = code_sentences(spec)
    assert re.fullmatch(words, text)
    with pytest.raises(SpecError, match=words):
        require_consent(spec, Consent(clients=True, unencrypted=True))
    require_consent(spec, Consent(commands=True))
    require_consent(plan_of("touch /tmp/x", "sim:"), NO_CONSENT)  # nothing is run there
    require_consent(parse_plan("host = 'local:'"), NO_CONSENT)


CLUSTER = "host = 'local:'\n[clients]\nscheduler = '{}://127.0.0.1:8786'\n"
FILES = "ca_file = 'a'\ncert_file = 'b'\nkey_file = 'c'"


@pytest.mark.parametrize("plan", [CLUSTER.format("tcp"), CLUSTER.format("tls") + FILES])
def test_dask_scheduler_of_a_plan_is_refused_like_a_command(plan):
    spec = parse_plan(plan)
    (text,) = code_sentences(spec)
    assert "127.0.0.1:8786 and its workers can run code on this computer" in text
    with pytest.raises(SpecError, match="can run code on this computer") as refused:
        require_consent(spec, Consent(commands=True, unencrypted=True))
    assert "--allow-command" in refused.value.hint
    require_consent(spec, FULL_CONSENT)


def test_unencrypted_scheduler_needs_a_second_consent_even_on_loopback():
    with pytest.raises(SpecError, match="without encryption") as refused:
        require_consent(parse_plan(CLUSTER.format("tcp")), Consent(clients=True))
    assert "--insecure" in refused.value.hint
    require_consent(parse_plan(CLUSTER.format("tls") + FILES), Consent(clients=True))


@pytest.mark.parametrize("options", [[], ["--insecure"], ["--allow-command"]])
def test_plan_with_a_scheduler_connects_to_no_one_without_both_options(tmp_path, monkeypatch, capsys, options):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "home"))
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        plan = tmp_path / "plan.toml"
        plan.write_text(CLUSTER.format("tcp").replace("8786", str(stranger.getsockname()[1])))
        assert main(["run", str(plan), *options]) != 0
        stranger.settimeout(0)
        with pytest.raises(BlockingIOError):
            stranger.accept()
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--json"], ["--quiet"], ["--continue", "last"]])
def test_strangers_plan_is_refused_with_its_command_before_anything_is_touched(tmp_path, monkeypatch, capsys, more):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "home"))
    proof = tmp_path / "it-ran"
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(host="local:", command=json.dumps(f"touch {proof}")))
    assert main(["run", str(plan), *more]) != 0
    reported = capsys.readouterr()
    assert f"touch {proof}" in reported.err
    assert "--allow-command" in reported.err
    assert not proof.exists()

"""Laws of the computers that a plan names to make the load: what is refused, and how users are dealt out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import SpecError
from scheduler.model.clients import ClientsSpec, deal_out_users
from scheduler.model.plan_file import parse_plan, write_plan

TLS = "ca_file = 'ca.pem'\ncert_file = 'cert.pem'\nkey_file = 'key.pem'"
HERE = "scheduler = 'tcp://127.0.0.1:8786'"


def plan(clients: str, host: str = "local:", load: str = "") -> str:
    return f"host = '{host}'\n{load}\n[clients]\n{clients}\n"


@pytest.mark.parametrize(
    "clients",
    [
        HERE,
        "scheduler = 'tcp://localhost:8786'\nworkers = ['a', 'tcp://127.0.0.1:4000']\non_loss = 'remaining'",
        "scheduler = 'tcp://[::1]:8786'",
        "scheduler = 'tcp://lab7.example:8786'",
        f"scheduler = 'tls://lab7.example:8786'\n{TLS}",
    ],
)
def test_plan_with_clients_reads_back_as_it_was_written(clients):
    spec = parse_plan(plan(clients))
    assert spec.clients.remote
    assert parse_plan(write_plan(spec)) == spec


@pytest.mark.parametrize(
    ("clients", "field", "words"),
    [
        (f"{HERE}\ninsecure = true", "insecure", "a plan cannot allow this"),
        (f"{HERE}\ninsecure = false", "insecure", "a plan cannot allow this"),
        ("scheduler = 'tls://lab7:8786'", "ca_file", "is needed with tls"),
        (f"scheduler = 'tls://lab7:8786'\n{TLS}".replace("key.pem", ""), "key_file", "is needed with tls"),
        (f"{HERE}\n{TLS}", "ca_file", "is of no use with tcp"),
        ("scheduler = 'http://lab7:8786'", "scheduler", "is not a Dask scheduler's address"),
        ("scheduler = 'tcp://user:secret@lab7:8786'", "scheduler", "is not a Dask scheduler's address"),
        ("scheduler = 'tcp://127.0.0.1:70000'", "scheduler", "is not a Dask scheduler's address"),
        ("workers = ['a']", "workers", "is of no use without a scheduler"),
        (f"{HERE}\nworkers = ['a', 'b', 'a']", "workers", "'a' is there twice"),
        (f"{HERE}\nworkers = ['']", "workers[0]", "is no name"),
        (f"{HERE}\non_loss = 'maybe'", "on_loss", "'maybe' is none"),
        (f"{HERE}\nthreads = 2", "threads", "is not a key of a plan file"),
    ],
)
def test_what_is_wrong_is_named_by_its_field(clients, field, words):
    with pytest.raises(SpecError) as refused:
        parse_plan(plan(clients))
    assert refused.value.field == f"clients.{field}"
    assert words in str(refused.value)
    assert "secret" not in f"{refused.value} {refused.value.hint}"
    assert refused.value.hint


@pytest.mark.parametrize("load", ["kind = 'tpcb'", "kind = 'command'\ncommand = 'true'"])
def test_programs_of_others_stay_on_this_computer(load):
    with pytest.raises(SpecError, match=r"clients: the program of \w+ runs on this computer only"):
        parse_plan(plan(HERE, load=f"[[load]]\n{load}"))


def test_simulated_host_has_no_clients():
    with pytest.raises(SpecError, match="the load of a simulated host is also simulated"):
        parse_plan(plan(HERE, host="sim:"))


@given(st.integers(1, 64), st.integers(1, 20))
def test_every_user_is_dealt_to_one_worker_and_none_has_two_more_than_another(users, workers):
    names = [f"w{i}" for i in range(workers)]
    found = deal_out_users(users, names)
    assert sorted(number for numbers in found.values() for number in numbers) == list(range(users))
    counts = [len(found.get(name, ())) for name in names]
    assert max(counts) - min(counts) <= 1
    assert all(found.values())


def test_plan_without_clients_names_this_computer():
    assert not parse_plan("host = 'local:'").clients.remote
    assert ClientsSpec() == parse_plan("host = 'local:'").clients

"""Laws of loads that the workers of a Dask cluster make: real workers, real users, a real PostgreSQL."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from distributed import Client, Queue

from scheduler.errors import ClientLost, ClusterNotUsable
from scheduler.loads.cluster import dask_cluster, dask_link, user_share
from scheduler.loads.cluster.supervisor import answers_queue_name
from tests.contract.cluster_fixture import KIND, Certificates, dask, running_cluster, users_below
from tests.contract.loads_contract import assert_without_gaps, seconds_of, wait_until, working
from tests.killing import has_ended
from tests.one_load import side_of

__all__ = ["dask"]


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """The tests have others beside them: who is silent for 3 s there is not lost."""
    monkeypatch.setattr(user_share, "_SILENT_S", 15.0)


@pytest.fixture
def opened(dask, database):
    """Open loads that a cluster makes; all are closed at the end, however that comes."""
    pools = []

    def opened(cluster=dask, **clients):
        pools.append(pool := cluster.pool(database, **clients))
        return pool

    yield opened
    for pool in pools:
        pool.close()


@pytest.fixture
def running(opened):
    """Likewise, and start them."""

    def running(cluster=None, **clients):
        pool = opened(cluster, **clients) if cluster else opened(**clients)
        pool.preflight()
        pool.prepare(KIND)
        pool.start(KIND)
        return pool

    return running


def test_two_workers_make_one_load_that_the_database_confirms(dask, running, database):
    pool = running(users=3)
    seconds = seconds_of(pool, 2)
    assert_without_gaps(seconds)
    for second in seconds:
        assert {name: part.users for name, part in second.clients.items()} == {"0": 2, "1": 1}
        assert sum(part.count for part in second.clients.values()) == second.count > 0
        assert sum(second.histogram.values()) == second.count
        assert all(0 < part.clock_error_s < 0.05 for part in second.clients.values())
        assert second.missing_users == 0
    users = [user for number in (0, 1) for user in users_below(dask.worker_pid(number))]
    assert len(users) == 3
    for pid in (dask.worker_pid(0), *(user.pid for user in users)):
        seen = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
        assert database.server.password.encode() not in seen
    pool.park()
    pool.unpark()
    assert working(pool)
    check = pool.stop()
    assert check.passed, check.text
    assert all(has_ended(user.pid) for user in users)
    assert "made by 2 workers of a Dask cluster (0 and 1), clocks known to" in pool.differences()[-1]


def test_killed_worker_is_reported_by_name_and_the_load_begins_again_when_it_is_back(dask, running):
    pool = running()
    seconds_of(pool, 1)
    (user,) = users_below(dask.worker_pid(0))
    (other,) = users_below(dask.worker_pid(1))
    os.kill(dask.worker_pid(0), signal.SIGKILL)
    lost = r"the worker 0 \(tcp://127\.0\.0\.1:\d+\) was lost: its task ended \(KilledWorker"
    with pytest.raises(ClientLost, match=lost):
        wait_until(lambda: pool.poll() is None, "the loss", 60.0)
    assert has_ended(user.pid)  # its standard input closed
    assert has_ended(other.pid)  # half of a load is not the load that was asked for
    pool.prepare(KIND)
    pool.start(KIND)
    assert set(seconds_of(pool, 1)[0].clients) == {"0", "1"}
    assert pool.stop().passed


def test_others_take_the_users_over_where_the_plan_asks_so(dask, running):
    with dask.extra_worker("third") as third:
        pool = running(workers=("third", "1"), on_loss="remaining")
        seconds_of(pool, 1)
        third.kill()
        with pytest.raises(ClientLost, match="the worker third"):
            wait_until(lambda: pool.poll() is None, "the loss", 60.0)
    pool.prepare(KIND)
    pool.start(KIND)
    assert {name: part.users for name, part in seconds_of(pool, 1)[0].clients.items()} == {"1": 2}
    assert pool.stop().passed


def test_worker_that_falls_silent_is_lost_and_the_load_ends_where_the_plan_asks_so(dask, running, monkeypatch):
    with dask.extra_worker("third") as third:
        pool = running(workers=("third",), on_loss="end")
        seconds_of(pool, 1)
        third.send_signal(signal.SIGSTOP)
        monkeypatch.setattr(user_share, "_SILENT_S", 1.0)
        # Its users work on; their end is waited for, and comes with the worker's.
        killer = subprocess.Popen(["sh", "-c", f"sleep 2; kill -9 {third.pid}"])
        with pytest.raises(ClientLost, match=r"the worker third .* was lost: it has said nothing for 1 s"):
            wait_until(lambda: pool.poll() is None, "the loss", 60.0)
        killer.wait()
    with pytest.raises(ClusterNotUsable, match=r"the worker third .* was lost: .*, and the plan ends then"):
        pool.start(KIND)


@pytest.mark.parametrize("odd", [7, [(0, b"x" * (9 << 20))]])
def test_share_that_reports_odd_words_is_lost_with_a_sentence(dask, running, odd, capfd):
    pool = running(workers=("1",))
    seconds_of(pool, 1)
    (lost,) = side_of(pool.loads)._clients._shares
    client = Client(dask.address, set_as_default=False)
    Queue(answers_queue_name(lost._share), client=client).put(odd)
    with pytest.raises(ClientLost, match=r"the worker 1 .* was lost: (it says|the process .* cannot be read)"):
        wait_until(lambda: pool.poll() is None, "the loss", 20.0)
    pool.close()
    client.close()
    assert "Exception in thread" not in capfd.readouterr().err


def test_worker_that_is_not_there_is_reported_with_those_that_are(opened):
    pool = opened(workers=("0", "nobody"))
    with pytest.raises(ClusterNotUsable, match="has no worker nobody; there are: 0 and 1"):
        pool.preflight()


def test_other_versions_are_refused(opened, monkeypatch):
    version = dask_cluster.own_domtune_version()
    monkeypatch.setattr(dask_cluster, "own_domtune_version", lambda: "9.9")
    pool = opened()
    with pytest.raises(ClusterNotUsable, match=rf"the worker 0 has domtune {version}, this computer 9\.9"):
        pool.preflight()


def test_scheduler_that_cannot_be_reached_is_reported_soon(dask, opened, monkeypatch):
    monkeypatch.setattr(dask_link, "_CONNECT_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        nobody = listening.getsockname()[1]
    monkeypatch.setattr(dask, "address", f"tcp://127.0.0.1:{nobody}")
    pool = opened()
    began_s = time.monotonic()
    with pytest.raises(ClusterNotUsable, match=rf"tcp://127\.0\.0\.1:{nobody} cannot be reached"):
        pool.preflight()
    assert time.monotonic() - began_s < 10


def test_it_goes_by_tls_and_by_nothing_else(opened, running, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_link, "_CONNECT_S", 2.0)
    ours, others = Certificates(tmp_path / "ours"), Certificates(tmp_path / "others")
    with running_cluster(1, ours.security) as encrypted:
        pool = running(encrypted, **ours.spec)
        assert working(pool)
        assert pool.stop().passed
        pool.close()
        with pytest.raises(ClusterNotUsable, match="cannot be reached"):
            (stranger := opened(encrypted, **others.spec)).preflight()
        stranger.close()
        monkeypatch.setattr(encrypted, "address", encrypted.address.replace("tls:", "tcp:"))
        with pytest.raises(ClusterNotUsable, match="cannot be reached"):
            opened(encrypted).preflight()


def test_nothing_of_it_is_left_when_a_pool_closes_while_it_works(dask, running):
    pool = running()
    seconds_of(pool, 1)
    users = [user for number in (0, 1) for user in users_below(dask.worker_pid(number))]
    pool.close()
    wait_until(lambda: all(has_ended(user.pid) for user in users), "the end of all users")

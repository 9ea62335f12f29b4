"""What a broken or hostile toolstack prints becomes an error with words, within seconds and a little memory."""

import time
from dataclasses import replace

import pytest

from scheduler.errors import HostError, HostNotUsable
from scheduler.hosts.local.local_opening import reopen_host as reopen_local
from scheduler.hosts.xen.cpu_pools import PoolRow, parse_pool_cpus, parse_pools
from scheduler.hosts.xen.describe import parse_pool_settings
from scheduler.hosts.xen.domain_view import allowed_cpus, build_domain_view
from scheduler.hosts.xen.host_survey import HostSurvey
from scheduler.hosts.xen.toolstack_access import ToolstackAccess
from scheduler.hosts.xen.xen_findings import find_deep_sleep, list_findings
from scheduler.hosts.xen.xen_host import reopen_host as reopen_xen
from scheduler.hosts.xen.xentop_rows import parse_top_row
from scheduler.hosts.xen.xl_tables import DomainRow, VcpuRow, parse_affinity, parse_domains, parse_vcpus
from scheduler.model.scheduler_params import CreditParams
from scheduler.toolstacks.credit_grammar import CreditGrammar
from scheduler.toolstacks.rtds_grammar import RtdsGrammar
from scheduler.toolstacks.sedf_grammar import SedfGrammar

LIMIT_S = 5.0
CREDIT = "Name                                ID Weight  Cap\n"
RTDS = "Name                                ID VCPU    Period    Budget  Extratime\n"
SEDF = "Name                                ID Period Slice Latency Extra Weight\n"


def pool_cpus(text):
    """Read the list of one pool's CPUs after a text."""
    return parse_pool_cpus(f"{text}\n{'Pool-0':<19}0", [PoolRow("Pool-0", 1, "credit")])


def survey(hard="all", **info):
    vcpus = [VcpuRow(number, 0, online=True, cpu=0, hard=hard) for number in (0, 1)]
    return HostSurvey(
        ToolstackAccess((), "/usr/sbin/xl", (4, 17)),
        info,
        {},
        [],
        [],
        3.0,
        vcpus,
        [],
        {},
        "",
        "",
        "",
        "",
        "boot",
        "machine",
    )


@pytest.mark.parametrize("text", ["0-99999999999", "4097", "9" * 5000, "0-4096,5000", "٣" * 3 + ",99999999"])
def test_affinity_of_cpus_that_no_host_has_is_refused(text):
    with pytest.raises(HostNotUsable, match="up to 4096 CPUs"):
        parse_affinity(text, 4)


@pytest.mark.parametrize("name", ["nr_cpus", "max_cpu_id"])
@pytest.mark.parametrize("value", ["99999999999", "9" * 5000, "٣"])
def test_host_of_more_cpus_than_any_is_refused(name, value):
    with pytest.raises(HostNotUsable, match="CPU"):
        allowed_cpus(survey(**{name: value}), 0)


@pytest.mark.parametrize("value", ["", "²", "none", "-1"])
def test_host_that_does_not_report_its_cpus_has_one(value):
    rows = [DomainRow("Domain-0", 0, 1, "r-----", 1.0), DomainRow("db1", 1, 1, "r-----", 1.0)]
    assert build_domain_view(survey(nr_cpus=value), *rows).pcpus == 1


@pytest.mark.parametrize(
    "line", [" " * 200_000, "x" + " " * 200_000 + "x", "1 " * 100_000, "a / " * 50_000, "\t" * 60_000]
)
@pytest.mark.parametrize("read", [parse_domains, parse_vcpus, parse_pools, pool_cpus])
def test_line_beyond_the_limit_is_an_error_within_seconds(read, line):
    begun_s = time.process_time()
    with pytest.raises(HostNotUsable, match="prints a line of"):
        read(line)
    assert parse_top_row(line) is None
    assert time.process_time() - begun_s < LIMIT_S


@pytest.mark.parametrize("read", [parse_domains, parse_vcpus, parse_pools, pool_cpus])
def test_line_just_within_the_limit_does_not_take_long_either(read):
    text = "\n".join(["x" + " " * 1000 + "x" * 22, " / ".join("a" * 256), "1 " * 500 + "x", "1 r-- " * 170] * 500)
    begun_s = time.process_time()
    read(text)
    assert time.process_time() - begun_s < LIMIT_S


def test_more_rows_than_any_host_has_are_refused():
    text = "\n".join(f"{f'd{number}':<40} {number:5d}   512     1     -b----       1.0" for number in range(9000))
    with pytest.raises(HostNotUsable, match="more than 8192"):
        parse_domains(text)


@pytest.mark.parametrize("time_s", ["1.2.3", "...", "9" * 500, "²"])
def test_line_with_a_time_that_is_none_is_no_domain(time_s):
    assert parse_domains(f"{'db1':<40} {1:5d} {512:5d} {2:5d}     -b----  {time_s}") == []


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        (CreditGrammar("sched-credit", CreditParams), f"{CREDIT}db1 1 1.5 0\n"),
        (CreditGrammar("sched-credit", CreditParams), f"{CREDIT}db1 1 no 0\n"),
        (CreditGrammar("sched-credit", CreditParams), f"{CREDIT}db1 1 256 -7\n"),
        (CreditGrammar("sched-credit", CreditParams), f"{CREDIT}db1 1 {'9' * 40} 0\n"),
        (RtdsGrammar(), f"{RTDS}db1 1 0 10000 4000.5 yes\n"),
        (RtdsGrammar(), f"{RTDS.replace('Period', 'Frist')}db1 1 0 10000 4000 yes\n"),
        (SedfGrammar(), f"{SEDF}db1 1 100 -5 0 1 0\n"),
        (SedfGrammar(), f"{SEDF}db1 1 100 5 0 1 0.5\n"),
        (SedfGrammar(), f"{SEDF.replace('Slice', 'Part')}db1 1 100 5 0 1 0\n"),
    ],
)
def test_table_of_another_form_is_reported_with_the_column(grammar, text):
    with pytest.raises(HostError, match=r"the toolstack prints .* of domain 1, where a") as caught:
        grammar.parse(text, 1, 1)
    assert caught.value.hint


@pytest.mark.parametrize("config", ["\n" * 300_000, " " * 300_000 + "x", "autoballoon" + " " * 300_000])
def test_no_configuration_takes_long(config):
    rows = [DomainRow("Domain-0", 0, 1, "r-----", 1.0), DomainRow("db1", 1, 1, "r-----", 1.0)]
    seen = build_domain_view(replace(survey(), config=config), *rows)
    begun_s = time.process_time()
    list_findings(seen, {}, {})
    assert time.process_time() - begun_s < LIMIT_S


@pytest.mark.parametrize("reopen", [reopen_xen, reopen_local])
@pytest.mark.parametrize("damage", ["[" * 100_000, "", "\ud800", "{}"])
def test_record_that_is_damaged_inside_is_an_error_with_words(reopen, damage):
    context = dict.fromkeys(("setup", "token", "place", "found"), damage)
    with pytest.raises(HostError, match="the undo record of"):
        reopen("xl:", context, lambda *_: None)


def test_scheduler_s_settings_and_idle_states_of_any_length_are_no_traceback():
    assert parse_pool_settings(f"Cpupool Pool-0: tslice={'9' * 5000}ms ratelimit=1000us", "Pool-0") == {
        "ratelimit_us": 1000
    }
    assert list(find_deep_sleep(f"total C-states : {'9' * 5000}")) == []

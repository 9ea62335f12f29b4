"""The command line on a XenServer: accepting a certificate, looking, and what a sweep would do."""

import json

from scheduler.hosts.xapi import certificate_pins
from tests.xapi_double.fixtures import forget_pins
from tests.xapi_double.pool import PASSWORD

PLAN = """
host = "{url}"
splits = ["1:1", "1:2"]
protocol = "grid"
repeats = 1
measure_s = 1
settle_s = 0
load_settle_s = 0

[[load]]
kind = "osdb-ir"
database = "postgresql://osdb@127.0.0.1:1/osdb"
"""


def test_trust_shows_a_certificate_and_keeps_it_when_reported(call, member, pairs):
    forget_pins()
    code, out, _ = call("trust", member.url)
    assert code == 0
    shown = certificate_pins.format_fingerprint(pairs["xcp1"].fingerprint)
    assert f"domtune trust {member.url} --fingerprint {shown}" in out
    assert not certificate_pins.pins_path().exists()

    code, out, _ = call("trust", member.url, "--fingerprint", shown, "--json")
    answer = json.loads(out)
    assert (code, answer["kind"], answer["fingerprint"]) == (0, "TLS", shown)
    assert answer["kept_in"] == str(certificate_pins.pins_path())
    assert member.asked == []


def test_trust_keeps_no_other_certificate(call, member, pairs):
    forget_pins()
    code, _, err = call("trust", member.url, "--fingerprint", pairs["xcp2"].fingerprint)
    assert code == 5
    assert "another certificate" in err
    assert not certificate_pins.pins_path().exists()


def test_dry_run_lists_the_commands_of_xl_and_touches_nothing(call, url, pool, dom0, tmp_path):
    before = dom0.parameters()
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(url=url))
    code, out, err = call("run", str(plan), "--dry-run", "--json")
    answer = json.loads(out)
    assert code == 0, err
    lines = [line for row in answer["commands"] for line in row["commands"]]
    assert lines
    assert all("sched-credit" in line for line in lines)
    assert any("XAPI" in finding["text"] for finding in answer["findings"])
    assert PASSWORD not in out
    assert dom0.parameters() == before
    assert pool.sessions == {}


def test_trust_quotes_a_url_with_letters_of_the_shell(member, call):
    url = f"{member.url}?ssh=root@xcp1"
    code, out, _ = call("trust", url)
    assert code == 0
    assert f"domtune trust '{url}' --fingerprint" in out

"""Other guests that a sweep kept away: named by the bundle, its scripts, the report and `apply`."""

import msgspec
import pytest

from scheduler.commands.apply_command import describe_guests_now
from scheduler.export.bundle import bundle_texts
from scheduler.export.html_report import report_text
from scheduler.model.other_guests import OtherGuest
from scheduler.model.placement import PlacementSupport
from tests.unit.export.domain_bundle import facts_of

WEB = OtherGuest("web1", "7f0c", (1, 2, 3, 5), away=True, vcpus=((1, 5), (2, 3)))
MAIL = OtherGuest("mail1", "6f0c", (6,), vcpus=((6,),))


def with_guests(facts, *guests):
    support = PlacementSupport(possible=True, choices=tuple(range(8)), moves_others=True)
    return msgspec.structs.replace(
        facts, shared_cpus=(0, 1, 2, 3), confined=True, placement=support, others=guests, pcpus=8
    )


@pytest.fixture
def sweep(bundle):
    made = bundle("credit2").material
    return msgspec.structs.replace(made, facts=with_guests(made.facts, WEB, MAIL))


def test_bundle_names_guests_kept_away_with_their_measured_cpus(sweep):
    texts = bundle_texts(sweep)
    readme = " ".join(texts["README.txt"].split())
    assert "measured without other guests on CPU 0-3: the sweep kept web1 on CPU 4-7." in readme
    assert "web1, UUID 7f0c vCPU 0 CPU 5 (before the sweep: CPU 1, 5) vCPU 1 CPU 4-7 (before" in readme
    assert "mail1" not in readme
    assert "others=This split was measured without other guests on CPU 0-3" in texts["split.conf"]
    none = bundle_texts(msgspec.structs.replace(sweep, facts=with_guests(sweep.facts, MAIL)))
    assert "OTHER GUESTS" not in none["README.txt"]
    assert "\nothers=\n" in none["split.conf"]


def test_scripts_print_the_note_on_guests_kept_away(bundle):
    made = bundle("credit2")
    conf = made.folder / "split.conf"
    assert "note   " not in made.run("apply.sh").stdout
    conf.write_text(conf.read_text().replace("others=", "others=The sweep kept web1 on CPU 4-7"))
    for script in ("apply.sh", "verify.sh"):
        assert "The sweep kept web1 on CPU 4-7. These scripts do not move them" in made.run(script).stdout


def test_report_names_guests_kept_away(sweep):
    assert "the sweep kept web1 on CPU 4-7" in report_text(sweep)


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ((MAIL,), "No other guest may run on these CPUs now."),
        ((msgspec.structs.replace(WEB, away=False), MAIL), "Now these guests may run there: web1. 'apply' moves no"),
    ],
)
def test_apply_names_guests_that_may_run_on_the_measured_cpus_now(now, text):
    facts = facts_of("credit2")
    assert text in describe_guests_now(with_guests(facts, WEB, MAIL), with_guests(facts, *now))
    assert describe_guests_now(with_guests(facts, MAIL), with_guests(facts, *now)) == ""

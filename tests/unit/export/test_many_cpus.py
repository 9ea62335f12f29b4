"""Report of a host whose domains share several CPUs: CPU use in CPUs, next to CPU allotted."""

import csv
import re

import msgspec

from scheduler.export.csv_points import write_csv
from scheduler.export.html_report import report_text
from scheduler.export.observation_export import report_text as observation_report
from scheduler.export.report_figures import shares_figure
from scheduler.model.observation_documents import ObservationStarted, ObservationWindow
from scheduler.model.split import Mode, parse_split
from scheduler.store.observation_summary import ObservationRecord

CPUS = 4


def share_four(measured):
    """Return a run's material as on four CPUs, of which the guest has two vCPUs."""
    domains = tuple(
        msgspec.structs.replace(domain, vcpus=2 if domain.id == "guest" else 4) for domain in measured.facts.domains
    )
    facts = msgspec.structs.replace(measured.facts, shared_cpus=(0, 1, 2, 3), pcpus=4, domains=domains)
    results = msgspec.structs.replace(measured.results, cpus=CPUS)
    return msgspec.structs.replace(measured, facts=facts, results=results)


def heights(figure: str, style: str) -> set[float]:
    return {float(y) for y in re.findall(rf'y1="([0-9.]+)"[^>]*class="{style}"', figure)}


def test_figure_counts_cpu_used_and_allotted_in_cpus(measured):
    one = str(shares_figure(measured.results, "osdb-ir", measured.facts))
    four = str(shares_figure(share_four(measured).results, "osdb-ir", share_four(measured).facts))
    assert "% of a CPU" in one
    assert "CPUs, of 4" in four
    assert heights(one, "allotted") == heights(four, "allotted")  # a share has the same height on an axis of 4
    point = next(p for p in measured.results.points if p.load == "osdb-ir" and p.allotted_share)
    assert f"allotted {CPUS * point.allotted_share['io']:.2f} CPUs" in four


def test_figure_draws_vcpu_limit_below_the_shared_cpus_only(measured):
    made = share_four(measured)
    assert 'class="limit guest"' in str(shares_figure(made.results, "osdb-ir", made.facts))
    assert 'class="limit io"' not in str(shares_figure(made.results, "osdb-ir", made.facts))
    assert 'class="limit' not in str(shares_figure(measured.results, "osdb-ir", measured.facts))


def test_report_table_shows_allotted_cpus(measured):
    text = report_text(share_four(measured))
    assert "in CPUs of 4" in text
    point = next(p for p in measured.results.points if p.allotted_share and p.valid)
    assert f'<td class="n dim">{CPUS * point.allotted_share["io"]:.2f}</td>' in text
    assert "in % of one CPU" in report_text(measured)


def test_csv_has_used_and_allotted_in_one_unit(measured, tmp_path):
    made = share_four(measured)
    points, _ = write_csv(made, tmp_path / "points.csv")
    with points.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row, point in zip(rows, made.results.points, strict=True):
        if point.allotted_share:
            assert float(row["I/O domain allotted (CPUs)"]) == CPUS * point.allotted_share["io"]
            assert float(row["I/O domain used (CPUs)"]) == point.used_share["io"]


def test_observation_report_draws_used_and_allotted_up_to_all_cpus():
    split = parse_split("1:3")
    started = ObservationStarted(
        host="xl:", host_id="x", title="X", simulated=False, mode=Mode.CAPS, cpus=8, split=split, for_s=600.0
    )
    cpus = {"io_cpus": 1.28, "guest_cpus": 2.5, "io_allowed_cpus": 2.0, "guest_allowed_cpus": 6.0}
    windows = tuple(ObservationWindow(t_s=10.0 * (at + 1), split=split, **cpus) for at in range(3))
    text = observation_report(
        ObservationRecord(run_id="r", name="", started=started, lines=windows, last=None, stopped=None)
    )
    assert "CPUs, of 8" in text
    assert "I/O domain allotted" in text
    assert "all 8 CPUs" in text

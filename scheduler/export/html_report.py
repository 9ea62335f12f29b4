"""Report of a run as one HTML file, with decision, figures, tables and method."""

import re
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scheduler.export.change_ticket import result_ticket
from scheduler.export.chart_svg import chart_svg
from scheduler.export.files import write_text
from scheduler.export.material import ExportMaterial
from scheduler.export.paper_figure import ranks_figure
from scheduler.export.rank_texts import DECISION_WORDS, rank_style, rank_words
from scheduler.export.report_figures import load_marker, shares_figure, style_values, throughput_figure
from scheduler.export.table_cells import dash_for_nothing, heading_cells, number_text, row_cells, typographic_minus
from scheduler.export.templates import template_environment
from scheduler.export.weights_remark import weights_remark
from scheduler.model.bottleneck import Bottleneck
from scheduler.model.documents import SettlingCause
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import rate_unit
from scheduler.model.number_texts import (
    format_duration,
    format_interval,
    format_percent,
    format_signed_percent,
    format_table_number,
    format_table_percent,
)
from scheduler.model.plan_settings import list_modes
from scheduler.model.results import MeasuredPoint, Recommendation, Results, SettlingTime, SplitVerdict
from scheduler.model.sentence_texts import domain_title, format_cpu_list, join_names, load_title, member_title
from scheduler.model.setting import split_of, users_of
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId, list_roles
from scheduler.model.studies import STUDIES, Setting
from scheduler.papers.comparison import compare_with_papers, ranks_text, share_text
from scheduler.stats.extra_figures import build_figures_tables, value_text
from scheduler.stats.objective_words import format_objective
from scheduler.studies.study_charts import study_charts, study_tables
from scheduler.translation import _

if TYPE_CHECKING:
    from markupsafe import Markup

_DOMAINS = {IO: _("I/O domain"), GUEST: "Guest", GUEST_2: _("Second guest")}

_LIMITED_BY = {
    Bottleneck.IO: _("I/O domain"),
    Bottleneck.GUEST: "guest",
    Bottleneck.BOTH: _("both domains"),
    Bottleneck.CLIENT: "waiting",
}
"""Texts of the bottleneck in the queueing model."""


def write_report(material: ExportMaterial, target: Path) -> tuple[Path, ...]:
    """Write the report and return its file.

    Args:
        material: The sweep.
        target: File of the report.
    """
    return (write_text(target, report_text(material)),)


def report_text(material: ExportMaterial, *, on_paper: bool = False) -> str:
    """Return the page of the report; the same material makes the same page.

    Args:
        material: The sweep.
        on_paper: True for a report with the lines of a sign-off, and without the command log.
    """
    results, split = material.results, material.results.answer.recommendation
    templates = template_environment("report", autoescape=True)
    kinds = [load.name for load in material.spec.loads]
    return templates.get_template("report.html.j2").render(
        results=results,
        weights_remark=weights_remark(results, material.spec),
        advice=results.answer,
        split=split,
        headline=_format_headline(results.answer.headline),
        rank_style=partial(rank_style, results.answer),
        rank_words=partial(rank_words, results.answer),
        spec=material.spec,
        facts=material.facts,
        command_log=material.command_log,
        kinds=kinds,
        load_title=load_title,
        member_title=member_title,
        marker_of=load_marker,
        unit=rate_unit(kinds, material.spec.units),
        percent=format_percent,
        io_percent=partial(_share_css, IO),
        second_percent=partial(_share_css, GUEST_2),
        domains={domain: _DOMAINS[domain] for domain in list_roles(*(point.domains for point in results.points))},
        setting=STUDIES[results.study].setting_title,
        each_user=_tps_per_user,
        heading=STUDIES[results.study].report_title or STUDIES[results.study].rates_title,
        figures_of_rates=_main_figures(results),
        tables=study_tables(results),
        heading_cells=heading_cells,
        row_cells=row_cells,
        shares=[shares_figure(results, kind, material.facts) for kind in kinds] if split else [],
        model_points={(point.setting, model.load): point for model in results.model for point in model.points},
        limited_by=_LIMITED_BY,
        figures=build_figures_tables(results.points),
        comparisons=[
            (found, ranks_figure(found)) for found in compare_with_papers(results, material.spec, material.facts)
        ],
        ranks_words=ranks_text,
        share_words=share_text,
        value_text=value_text,
        facts_in_short=_summary_lines(results, material.spec),
        measured=_method_rows(material),
        number=number_text,
        fraction=_fraction_text,
        used=partial(_cpu_use_text, cpus=results.cpus),
        allotted=partial(_cpu_allotted_text, cpus=results.cpus),
        on_paper=on_paper,
        ticket=result_ticket(results, material.facts) if on_paper else (),
        **style_values(),
    )


def _summary_lines(results: Results, spec: RunSpec) -> list[tuple[str, str, str]]:
    """Return name, figure and remark of each summary line, the decision first."""
    advice = results.answer.recommendation
    if advice is None or not advice.label:
        return []
    lines = [_decision_line(advice), _gain_line(advice), _certainty_line(advice)]
    row = next((row for row in advice.regret if row.label == advice.label), None)
    for kind, loss in row.loss_frac.items() if row else ():
        lines.append(
            (
                _("{load} against its best split").format(load=load_title(spec.load_of(kind).name)),
                typographic_minus(f"-{format_percent(loss)}") if loss > 0 else _("its best"),
                "",
            )
        )
    return [line for line in lines if line[0]]


def _decision_line(advice: Recommendation) -> tuple[str, str, str]:
    decision = advice.decision
    split = f"{decision.label}: {rank_words(advice, decision.setting)}" if decision.label else ""
    return "Decision", DECISION_WORDS[decision.kind], split


def _gain_line(advice: Recommendation) -> tuple[str, str, str]:
    decision = advice.decision
    if decision.gain_frac is None:
        return "", "", ""
    span = (
        _("95 % interval {gain_ci95_frac}").format(gain_ci95_frac=format_interval(*decision.gain_ci95_frac))
        if decision.gain_ci95_frac
        else ""
    )
    name = _("{label} against the original settings").format(label=decision.label)
    return name, typographic_minus(format_signed_percent(decision.gain_frac)), typographic_minus(span)


def _certainty_line(advice: Recommendation) -> tuple[str, str, str]:
    if advice.verdict is SplitVerdict.NONE:
        return _("Certainty of the best split"), _("not enough"), _("see why below")
    if advice.verdict is SplitVerdict.EQUIVALENT and advice.loss_bound_frac is not None:
        bound = _("at most {loss_bound_frac}").format(loss_bound_frac=format_percent(advice.loss_bound_frac))
        return _("Loss of {label}").format(label=advice.label), bound, _("against any other split, at 95 % confidence")
    figure = "above 99 %" if advice.confidence > 0.99 else format_percent(advice.confidence)
    return (
        _("Certainty of the best split"),
        figure,
        _("that no other split is over {tolerance_frac} better").format(
            tolerance_frac=format_percent(advice.tolerance_frac)
        ),
    )


def _method_rows(material: ExportMaterial) -> list[tuple[str, str]]:
    results, spec, facts = material.results, material.spec, material.facts
    split = results.answer.recommendation
    protocol = spec.protocol
    started = datetime.fromtimestamp(results.started_unix_s, UTC)
    restored = _("yes, every value reads back") if results.restored else _("NO, see the notices")
    if results.busy:
        restored = _("not changed: another process holds the host")
    setting = "split" if spec.kind.recommends_split else "setting"
    often = (
        _("trials until it was decided")
        if spec.adapts
        else _("{repeats} trials per {setting} and load").format(repeats=protocol.repeats, setting=setting)
    )
    kinds = [load.name for load in spec.loads]
    most = "" if spec.kind.recommends_split else _("at most ")
    rows = [
        ("Host", f"{results.host_title} ({results.host})"),
        ("Scheduler", facts.scheduler),
        ("CPUs", _cpus_text(facts)),
        (_("Other guests"), facts.away_remark),
        ("Mode", _modes_text(spec)),
        (
            "Protocol",
            _(
                "{protocol}: {often}, {measure_s} s each after {settle_s} s of settling "
                "({load_settle_s} s after a change of the load)"
            ).format(
                protocol=protocol.name,
                often=often,
                measure_s=protocol.measure_s,
                settle_s=protocol.settle_s,
                load_settle_s=protocol.load_settle_s,
            ),
        ),
        ("Settling", "; ".join(_settling_text(found) for found in results.settling)),
        ("Users", _users_text(spec, most)),
        (
            "Clients",
            _("Dask scheduler at {scheduler}").format(scheduler=spec.clients.scheduler) if spec.clients.remote else "",
        ),
        ("Objective", format_objective(split.objective, kinds) if split else ""),
        ("Weights", _weights_text(split, spec) if split else ""),
        ("Order", _("blocks in random order, seed {seed}").format(seed=spec.seed)),
        (
            _("Time at settings"),
            _("{measured_s}, settling included").format(measured_s=format_duration(results.measured_s)),
        ),
        ("Started", f"{started:%Y-%m-%d %H:%M} UTC"),
        ("Outcome", results.outcome.value + (f": {results.reason}" if results.reason else "")),
        (_("Original settings restored"), restored),
        ("Run", results.run_id),
    ]
    return [row for row in rows if row[1]]


def _weights_text(answer: Recommendation, spec: RunSpec) -> str:
    titles = ((load_title(spec.load_of(key).name), weight) for key, weight in answer.weights.items())
    return ", ".join(f"{title} {format_percent(weight)}" for title, weight in titles)


def _cpus_text(facts: HostProperties) -> str:
    whose = "both" if len(facts.domains) < 3 else _("all three")
    return _("{pcpus}, {whose} domains on CPU {shared_cpus}").format(
        pcpus=facts.pcpus, whose=whose, shared_cpus=format_cpu_list(facts.shared_cpus)
    )


def _modes_text(spec: RunSpec) -> str:
    modes = list_modes(spec) or [spec.mode.value]
    return join_names(modes) + (
        _(", period {period_us:g} ms").format(period_us=spec.period_us / 1000) if Mode.CAPS.value in modes else ""
    )


def _users_text(spec: RunSpec, most: str) -> str:
    if spec.kind.has_two_guests:
        return ", ".join(
            f"{domain_title(guest)} {load_title(load.kind)} {load.users}" for guest, load in spec.guest_loads.items()
        )
    return ", ".join(f"{load_title(load.name)} {most}{load.users}" for load in spec.loads)


def _settling_text(found: SettlingTime) -> str:
    after = {
        SettlingCause.SPLIT: _("a change of the split"),
        SettlingCause.LOAD: _("a change of the load"),
        SettlingCause.USERS: _("a change of the users"),
        SettlingCause.VCPUS: _("a change of the vCPUs"),
        SettlingCause.COLD: _("a cold start"),
    }
    words = _("within 3 % of its end after {found_s} s").format(found_s=found.found_s)
    if found.found_s is None:
        words = (
            _("no steady state within {searched_s} s").format(searched_s=found.searched_s)
            if found.certain
            else _("unknown: data too few or too noisy")
        )
    return _("{after}: {words}, {excluded_s} were excluded ({changes} changes)").format(
        after=after[found.change], words=words, excluded_s=format_duration(found.excluded_s), changes=found.changes
    )


def _share_css(domain: DomainId, setting: Setting | None) -> str:
    """Return a domain's share as CSS; empty without a split, or without the domain."""
    split = split_of(setting)
    return f"{100 * split.frac_of(domain):.1f}%" if split and domain in split.parts else ""


def _main_figures(results: Results) -> "list[Markup]":
    if results.answer.recommendation:
        return [throughput_figure(results)]
    return [chart_svg(chart) for chart in study_charts(results) if not chart.view]


def _tps_per_user(point: MeasuredPoint) -> float | None:
    """Return the throughput per user, where the number of users varies; else None."""
    users = users_of(point.setting)
    return point.mean_tps / users if users and point.mean_tps is not None else None


def _format_headline(text: str) -> str:
    """Return the headline with typographic minus signs; hyphens remain."""
    return re.sub(r"(?<![\w-])-(?=\d)", typographic_minus("-"), text)


def _fraction_text(frac: float | None) -> str:
    return dash_for_nothing(format_table_percent(frac).removesuffix(" %"))


def _cpu_use_text(used_cpus: float | None, cpus: int) -> str:
    """Return CPU use in percent, or in CPUs of several; a dash for None."""
    return dash_for_nothing(format_table_number(used_cpus, 2)) if cpus > 1 else _fraction_text(used_cpus)


def _cpu_allotted_text(share: float | None, cpus: int) -> str:
    return _cpu_use_text(None if share is None else share * cpus, cpus)

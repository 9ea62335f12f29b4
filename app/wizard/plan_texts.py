"""Texts about the plan: the one-line answer of each step, and one paragraph."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from app.display_texts import (
    format_duration,
    format_duration_range,
    format_percent,
    format_rough_duration,
    join_list,
    name_host,
)
from app.load_texts import load_name
from app.studies.isolation.isolation_texts import second_guest_name
from app.studies.text_registry import study_texts_of
from app.studies.trial_texts import format_seed, settling_sentence
from app.wizard.load_plan_texts import loads_answer, loads_sentence
from app.wizard.sweep_estimate import estimate_sweep
from scheduler.model.databases import DATABASES
from scheduler.model.decision import SweepPurpose
from scheduler.model.host_kinds import is_simulated, is_this_computer
from scheduler.model.host_properties import DomainProperties, HostProperties
from scheduler.model.objective import TOLERANCE_FRAC, WORST_CASE, Objective
from scheduler.model.plan_settings import list_modes
from scheduler.model.protocols import MOST_ADDED_SPLITS, SweepProtocol
from scheduler.model.sentence_texts import format_cpu_list, list_names
from scheduler.model.setting import is_host_changed
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.plans.study_plan import simulation_time_s
from scheduler.shares.model_lookup import build_share_models
from scheduler.shares.share_model import build_host_machine
from scheduler.translation import _


def mode_name(mode: Mode) -> str:
    """Return the displayed name of a mode."""
    return {Mode.WEIGHTS: _("weights"), Mode.DEDICATED: _("dedicated CPUs")}.get(mode, _("caps"))


def protocol_name(name: str) -> str:
    """Return the displayed name of a protocol."""
    names = {
        "adaptive": _("Adaptive"),
        "quick": _("Quick"),
        "strict": _("Strict"),
        "grid": _("Grid"),
        "replicate": _("Replicate"),
        "calibrate": _("Calibrate"),
        "paired": _("Paired"),
        "blocks": _("Blocks"),
    }
    return names.get(name, name.capitalize())


def cpus_text(numbers: Sequence[int]) -> str:
    """Return CPUs as `CPU 1` or `CPUs 0-3, 6`."""
    return (_("CPU {n}") if len(numbers) == 1 else _("CPUs {n}")).format(n=format_cpu_list(numbers))


def describe_away(placed: HostProperties) -> str:
    """Return the guests that are kept off the shared CPUs as text; empty for none."""
    guests = [guest for guest in placed.others if guest.away]
    if not guests:
        return ""
    return _("other guests on {cpus}: {guests}").format(
        cpus=cpus_text(placed.kept_away.cpus),
        guests=list_names(
            _("{guest} (now: {now})").format(guest=guest.name, now=format_cpu_list(guest.cpus)) for guest in guests
        ),
    )


def domain_of(facts: HostProperties, role: DomainId) -> DomainProperties:
    """Return the domain of a role.

    Args:
        facts: The host.
        role: I/O domain, guest or second guest.

    Raises:
        KeyError: The host has no such domain.
    """
    return {domain.id: domain for domain in facts.domains}[role]


def step_answer(page: str, spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the answer of a step in one line.

    Args:
        page: Name of the page, one of `page_names.PAGES`; `review` has an empty answer.
        spec: The plan.
        facts: The host; None while unknown.
    """
    words = study_texts_of(spec.kind.name)
    match page:
        case "host":
            host = _host_text(spec.host_url, facts)
            return f"{spec.kind.title} \N{MIDDLE DOT} {host}" if words else host
        case "domains":
            return _domains_text(spec, facts)
        case "splits":
            return words.splits_answer(spec) if words else _splits_text(spec)
        case "loads":
            return words.loads_answer(spec) if words else loads_answer(spec)
        case "protocol":
            usual = format_rough_duration(
                simulation_time_s(estimate_sweep(spec).usual_s)
                if is_simulated(spec.host_url)
                else estimate_sweep(spec).usual_s
            )
            return _("{protocol}, about {usual}").format(protocol=protocol_name(spec.protocol.name), usual=usual)
        case _:
            return ""


def _splits_text(spec: RunSpec) -> str:
    count = len(spec.settings)
    text = _("{n} split, {mode}") if count == 1 else _("{n} splits, {mode}")
    return text.format(n=count, mode=mode_name(spec.mode))


def _host_text(url: str, facts: HostProperties | None) -> str:
    if is_this_computer(url):
        return _("This computer")
    name = _("Simulated") if facts and facts.simulated else urlsplit(url).hostname or url
    return f"{name} \N{MIDDLE DOT} {facts.scheduler}" if facts else name


def _domains_text(spec: RunSpec, facts: HostProperties | None) -> str:
    if is_this_computer(spec.host_url) and not (spec.io_domain or spec.guest_domain):
        title = DATABASES[spec.loads[0].engine].title
        text = _("relay : 2 \N{MULTIPLICATION SIGN} {database}") if _has_second_guest(spec) else _("relay : {database}")
        return text.format(database=title)
    names = domain_names(spec, facts)
    second = [second_guest_name(spec, facts) or _("second")] if _has_second_guest(spec) else []
    if not any(names):
        return " : ".join([_("the host's own pair"), *second])
    # A control group's path is shortened to its last part; an unknown name is a dash.
    return " : ".join([*(name.rpartition("/")[2] or "\N{EM DASH}" for name in names), *second])


def _has_second_guest(spec: RunSpec) -> bool:
    return spec.kind.has_two_guests


def domain_names(spec: RunSpec, facts: HostProperties | None) -> tuple[str, str]:
    """Return the names of I/O domain and guest.

    The names are those of the plan, else the host's own, else empty.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    own = [domain_of(facts, role).name if facts else "" for role in (IO, GUEST)]
    return spec.io_domain or own[0], spec.guest_domain or own[1]


def review_paragraph(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the whole plan as one paragraph.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    parts = (
        _measured_sentence(spec, facts),
        mode_sentence(spec, facts) if spec.splits and not list_modes(spec) else "",
        loads_sentence(spec),
        protocol_sentence(spec),
        objective_sentences(spec),
        _afterwards_text(spec),
    )
    return " ".join(part for part in parts if part)


def _afterwards_text(spec: RunSpec) -> str:
    if study_texts_of(spec.kind.name) is None and spec.baseline:
        return _("The original settings are also measured, and restored afterwards.")
    return _("The original settings are restored afterwards.") if any(map(is_host_changed, spec.settings)) else ""


def trials_text(spec: RunSpec) -> str:
    """Return the number of trials of a sweep, as text."""
    count = estimate_sweep(spec).trials
    if spec.adapts:
        return _("at least {n} trials").format(n=count)
    return _("1 trial") if count == 1 else _("{n} trials").format(n=count)


def time_needed(spec: RunSpec) -> str:
    """Return the duration of a sweep, as text.

    The text has a range from best to worst. An adaptive sweep has its usual and its longest duration. A simulated sweep
    has its usual duration in real and in simulated time.
    """
    _unused, best_s, worst_s, usual_s = estimate_sweep(spec)
    if is_simulated(spec.host_url):
        text = _("about {real} ({time} simulated)")
        return text.format(real=format_duration(round(simulation_time_s(usual_s))), time=format_rough_duration(usual_s))
    if spec.adapts:
        return _("usually about {usual}, at most {most}").format(
            usual=format_rough_duration(usual_s), most=format_duration(worst_s)
        )
    return format_duration_range(best_s, worst_s)


def protocol_summary(spec: RunSpec) -> str:
    """Return the number of trials and their measured seconds, as text."""
    protocol, words = spec.protocol, study_texts_of(spec.kind.name)
    if words is not None:
        return words.protocol_summary(spec, trials_text(spec))
    if not spec.protocol.decides:
        ends = join_list([setting.label for setting in spec.measured_settings])
        text = _("{trials}: {ends}, under each load for {measure} s.")
        if spec.baseline:
            text = _("{trials}: {ends} and the original settings, under each load for {measure} s.")
        return text.format(trials=trials_text(spec), ends=ends, measure=protocol.measure_s)
    if spec.adapts:
        text = _(
            "{trials}, {measure} s each. The candidates for the best split get more trials, until the best is known."
        )
        return text.format(trials=trials_text(spec), measure=protocol.measure_s)
    text = _("{trials}: each split, under each load {repeats} \N{MULTIPLICATION SIGN} {measure} s.")
    if spec.baseline:
        text = _(
            "{trials}: each split and the original settings, under each load {repeats} \N{MULTIPLICATION SIGN} "
            "{measure} s."
        )
    return text.format(trials=trials_text(spec), repeats=protocol.repeats, measure=protocol.measure_s)


def _measured_sentence(spec: RunSpec, facts: HostProperties | None) -> str:
    words = study_texts_of(spec.kind.name)
    if words is not None:
        return words.measured_sentence(spec, facts)
    ordered = sorted(spec.measured_settings, key=lambda setting: setting.position)
    splits = join_list([setting.label for setting in ordered])
    host = name_host(spec.host_url)
    io, guest = domain_names(spec, facts)
    if facts is None:
        return _("DomTune will measure the splits {splits} on {host}.").format(splits=splits, host=host)
    return _("DomTune will divide {cpus} of {host} between {io} (I/O domain) and {guest} (guest): {splits}.").format(
        cpus=cpus_text(facts.shared_cpus),
        host=host,
        io=io,
        guest=guest,
        splits=splits,
    )


def mode_sentence(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return a sentence about the effect of the plan's mode.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    if spec.mode is Mode.WEIGHTS:
        return _("Weights: each domain may use CPU time that the other leaves.")
    if spec.mode is Mode.DEDICATED:
        return _("Dedicated CPUs: each domain has whole CPUs of its own.")
    model = build_share_models(build_host_machine(facts)).get(facts.scheduler) if facts else None
    if model and not model.takes_period:
        return _("Caps: each domain gets its share and never more.")
    period = f"{spec.period_us / 1000:.7g}"
    return _("Caps: in every {period} ms each domain gets its share and never more.").format(period=period)


def protocol_sentence(spec: RunSpec) -> str:
    """Return sentences about repeats, order and seconds of the trials."""
    protocol, words = spec.protocol, study_texts_of(spec.kind.name)
    if words is not None:
        return words.trials_sentence(spec)
    if spec.adapts:
        text = _("Each split is measured at least once under each load, in random order (seed {seed}).")
        text += f" {_until_known_sentence(protocol)}"
    elif protocol.repeats == 1:
        text = _("Each split is measured once under each load, in random order (seed {seed}).")
    else:
        text = _("Each split is measured {n} times under each load, in random order (seed {seed}).")
    parts = [text.format(n=protocol.repeats, seed=format_seed(spec.seed))]
    parts.append(settling_sentence(protocol.settle_s, protocol.measure_s, protocol.load_settle_s))
    if protocol.restart_settle_s:
        text = _("The database restarts before each block ({restart} s excluded).")
        parts.append(text.format(restart=protocol.restart_settle_s))
    if protocol.refine:
        text = _("Up to {between} splits in between are added if they may be better.")
        parts.append(text.format(between=MOST_ADDED_SPLITS))
    return " ".join(parts)


def _until_known_sentence(protocol: SweepProtocol) -> str:
    if not protocol.limit_min:
        return _("The candidates are measured again until the best split is known.")
    text = _("The candidates are measured again until the best split is known, for at most {n} min.")
    return text.format(n=protocol.limit_min)


def objective_sentences(spec: RunSpec) -> str:
    """Return sentences about the objective; a tolerance is named unless it is usual.

    Other studies describe their goal.
    """
    words = study_texts_of(spec.kind.name)
    if words is not None:
        return words.goal_sentences(spec)
    return " ".join(
        part for part in (_purpose_sentence(spec), _objective_sentence(spec), _tolerance_sentence(spec)) if part
    )


def _purpose_sentence(spec: RunSpec) -> str:
    """Return the smallest gain that a change needs, or the order to divide the CPU."""
    objective = spec.objective
    if objective.purpose is SweepPurpose.DIVIDE:
        return _("The CPU has to be divided. The best split is recommended even if it costs throughput.")
    return _("A change must gain at least {worth}.").format(worth=format_percent(objective.least_gain_frac))


def _objective_sentence(spec: RunSpec) -> str:
    if not spec.objective.weighs:
        return _unweighed_sentence(spec.objective, [load.name for load in spec.loads])
    if len(spec.loads) == 1:
        return _("The best split has the highest throughput.")
    counts = [(load_name(load.name), spec.weight_of(load.name)) for load in spec.loads]
    if len({round(weight, 9) for _, weight in counts}) == 1:
        return _("All loads count equally.")
    return _("Weights of the loads in the recommendation: {parts}.").format(
        parts=join_list([_("{load} {part}").format(load=load, part=format_percent(weight)) for load, weight in counts])
    )


def _tolerance_sentence(spec: RunSpec) -> str:
    """Return the tolerance of the objective; empty for the usual tolerance."""
    tolerance = spec.objective.tolerance_frac
    return (
        ""
        if tolerance == TOLERANCE_FRAC
        else _("Splits that differ by up to {tolerance} count as equally good.").format(
            tolerance=format_percent(tolerance)
        )
    )


def _unweighed_sentence(objective: Objective, kinds: Sequence[str]) -> str:
    if objective.name == WORST_CASE:
        return _(
            "The best split has the smallest loss for the load that suffers most, compared with its own best split."
        )
    others = [load_name(kind) for kind in kinds if kind != objective.load]
    text = _("The best split has the highest {load} throughput of all splits that lose at most {limit} of {other}.")
    if len(others) > 1:
        text = _(
            "The best split has the highest {load} throughput of all splits that lose at most {limit} each of {other}."
        )
    return text.format(
        load=load_name(objective.load), limit=format_percent(objective.limit_frac), other=join_list(others)
    )

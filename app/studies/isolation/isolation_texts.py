"""Wizard texts of an isolation study, see `app.studies.study_texts.HasStudyTexts`."""

from collections.abc import Mapping

from app.display_texts import join_list, name_host
from app.load_texts import times_users
from app.load_texts import users_words as users_of
from app.studies.trial_texts import format_seed, settling_sentence
from scheduler.model.databases import DATABASES
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.plan_settings import list_modes, list_splits
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, GUEST_2, IO
from scheduler.studies.isolation.declaration import IsolationFinding, IsolationStudy
from scheduler.translation import _

_SHORT = 14  # letters of splits that fit next to the mode in the step rail


def splits_step() -> str:
    """Return the name of the step for splits of three domains."""
    return _("Splits of three")


def splits_head() -> tuple[str, str]:
    """Return title and lead of the splits page."""
    return _("Splits, with caps or weights"), _(
        "The I/O domain, the guest and a second guest share the CPU. For example, 2:1:1 gives the I/O domain "
        "one half and each guest a quarter."
    )


def loads_lead() -> str:
    """Return the lead of the loads page."""
    return _(
        "A single load runs in both guests. Of two loads, the first runs in the guest, the other in the second guest."
    )


def protocol_claims() -> Mapping[str, str]:
    """Return each protocol with its claims."""
    return {
        "blocks": _(
            "Each block measures each guest alone and both together, in random order, so that slow drifts "
            "cancel out. The cost of a busy second guest has an interval. Differences within noise are marked."
        )
    }


def settle_name() -> str:
    """Return the name of the field for the warm-up of each trial.

    Nearly every trial changes the load, so the longer warm-up counts.
    """
    return _("Exc&luded from each trial (the longer one counts)")


def repeats_name() -> str:
    """Return the name of the field for repeats."""
    return _("Bloc&ks: trials of each split, mode and guest")


def splits_answer(spec: RunSpec) -> str:
    """Return the rail's text for the splits step: splits and modes."""
    splits, modes = _split_labels(spec), list_modes(spec) or []
    names = {"caps": _("caps"), "weights": _("weights")}
    mode = names[modes[0]] if len(modes) == 1 else _("2 modes")
    named = ", ".join(splits)
    if len(splits) > 1 and len(named) > _SHORT:
        named = _("{n} splits").format(n=len(splits))
    return _("{splits}, {mode}").format(splits=named, mode=mode)


def loads_answer(spec: RunSpec) -> str:
    """Return the rail's text for the loads step: the load of each guest."""
    both = [times_users([(load.kind, load.users)]) for load in spec.guest_loads.values()]
    return _("{first} next to {second}").format(first=both[0], second=both[1])


def users_words(words: str) -> str:
    """Return the text for a load's users, unchanged."""
    return words


def loads_sentence(spec: RunSpec) -> str:
    """Return a sentence with the load and the database of each guest."""
    first, second = spec.guest_loads[GUEST], spec.guest_loads[GUEST_2]
    text = _("In the guest, {first}. In the second guest, {second}. Each guest has its own {database}.")
    does = {"first": users_of(first.kind, first.users), "second": users_of(second.kind, second.users)}
    title = DATABASES[first.engine].title if first.engine == second.engine else _("database")
    return f"{text.format(**does, database=title)} {_rows_text(first, second)}".rstrip()


def changes_sentences(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the changes on the host as sentences.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    if facts is None:
        shares = _("Only the CPU shares of the I/O domain, the guest and a second guest.")
    else:
        names = {domain.id: domain.name for domain in facts.domains}
        text = _("Only the shares of CPU {cpus} for {io} (I/O domain), {guest} (guest) and {second}.")
        shares = text.format(
            cpus=format_cpu_list(facts.shared_cpus),
            io=spec.io_domain or names[IO],
            guest=spec.guest_domain or names[GUEST],
            second=_second_guest_text(spec, facts),
        )
    if spec.study.databases:
        return " ".join((shares, _("All three already run. DomTune starts and stops none of them.")))
    return " ".join((shares, _("DomTune starts the second guest for the study, and removes it afterwards.")))


def _second_guest_text(spec: RunSpec, facts: HostProperties) -> str:
    name = second_guest_name(spec, facts)
    return _("{name} (second guest)").format(name=name) if name else _("a second guest")


def second_guest_name(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the host's name of a running second guest; empty if unknown.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    study = spec.study_as(IsolationStudy)
    able = facts.second_guest.names if facts is not None and study.second_database else ()
    return study.guest_2 or (able[0] if len(able) == 1 else "")


def measured_sentence(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return the measurement and its host as a sentence.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    host = name_host(spec.host_url)
    text = _("DomTune will load two guests on {host}, each alone and both together. Splits of the CPU: {how}.")
    if facts is not None:
        text = _("DomTune will load two guests on {host}, each alone and both together. Splits of CPU {cpus}: {how}.")
    numbers = format_cpu_list(facts.shared_cpus) if facts else ""
    return text.format(host=host, cpus=numbers, how=setting_row(spec)[1].removesuffix("."))


def setting_row(spec: RunSpec) -> tuple[str, str]:
    """Return name and text of the review's row about splits and modes."""
    modes = list_modes(spec) or []
    period = _("by caps (in every {period} ms)").format(period=f"{spec.period_us / 1000:.7g}")
    kept = {"caps": period, "weights": _("by weights")}
    text = _("{splits}, {kept}.") if len(modes) < 2 else _("{splits}, each {kept}.")
    return _("Splits"), text.format(
        splits=join_list(_split_labels(spec)), kept=join_list([kept[mode] for mode in modes])
    )


def goal_sentences(spec: RunSpec) -> str:
    """Return the goal of the study as a sentence."""
    del spec
    return _("The loss of each guest while the other guest is busy: in total, and by interference.")


def trials_sentence(spec: RunSpec) -> str:
    """Return a sentence with the number and length of the trials."""
    protocol = spec.protocol
    text = _(
        "At each split and in each mode, each guest works alone, and both work together, in each of {n} blocks. The "
        "order is random (seed {seed})."
    )
    if protocol.repeats == 1:
        text = _(
            "At each split and in each mode, each guest works alone once, and both work together once. The order is "
            "random (seed {seed})."
        )
    settle_s = max(protocol.settle_s, protocol.load_settle_s)  # nearly every trial changes the load
    order = text.format(n=protocol.repeats, seed=format_seed(spec.seed))
    return f"{order} {settling_sentence(settle_s, protocol.measure_s)}"


def protocol_summary(spec: RunSpec, trials: str) -> str:
    """Return a summary of the protocol.

    Args:
        spec: The plan.
        trials: Number of trials, as text.
    """
    protocol = spec.protocol
    text = _(
        "{trials}: each guest alone and both together, {repeats} \N{MULTIPLICATION SIGN} {measure} s at each split and "
        "in each mode."
    )
    return text.format(trials=trials, repeats=protocol.repeats, measure=protocol.measure_s)


def _split_labels(spec: RunSpec) -> list[str]:
    return list_splits(spec) or []


def _rows_text(first: LoadSpec, second: LoadSpec) -> str:
    """Return the numbers of rows per table as a sentence, for loads with such tables."""
    rows = {load.kind: f"{load.tuples:,}" for load in (first, second) if "tuples" in load.values}
    if not rows:
        return ""
    if len(set(rows.values())) == 1:
        return _("{rows} rows per table.").format(rows=next(iter(rows.values())))
    return _("{rows} rows per table.").format(rows=join_list(list(rows.values())))


def finding_words(finding: IsolationFinding) -> str:
    """Return the headline."""
    return finding.headline

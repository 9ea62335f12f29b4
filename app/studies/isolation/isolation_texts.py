"""What the wizard says of a study of two guests; see `app.studies.study_texts.HasStudyTexts`."""

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from app.display_texts import MINUS, join_list
from app.load_texts import times_users
from app.load_texts import users_words as users_of
from scheduler.model.databases import DATABASES
from scheduler.model.host_properties import HostProperties
from scheduler.model.load import LoadSpec
from scheduler.model.plan_settings import list_modes, list_splits
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, GUEST_2, IO
from scheduler.model.studies import IsolationStudy
from scheduler.model.urls import redact_url

_SHORT = 14  # letters of splits that have room beside the mode in the rail of steps


def _tr(text: str) -> str:
    return QCoreApplication.translate("isolation", text)


def splits_step() -> str:
    """Return the name of the step of the splits of three."""
    return _tr("Splits of three")


def splits_head() -> tuple[str, str]:
    """Return title and lead of the page of splits."""
    return _tr("Which splits, capped or weighted?"), _tr(
        "Three share the CPU: I/O domain, guest and a second guest. 2:1:1 gives the I/O domain one half and each guest "
        "a quarter."
    )


def loads_lead() -> str:
    """Return the lead of the page of loads."""
    return _tr("One load runs in both guests; of two, the first in the guest, the other one in the second guest.")


def protocol_claims() -> Mapping[str, str]:
    """Return protocol to what may be claimed."""
    return {
        "blocks": _tr(
            "Each guest alone and both together in each block, in random order: what drifts meanwhile is the same for "
            "all of them. What a neighbour costs has its interval, and what noise hides is called so."
        )
    }


def settle_name() -> str:
    """Return the name of the field of what is cut: no less than after a change of the load, as each trial is one."""
    return _tr("&Left out of each trial (the longer one counts)")


def repeats_name() -> str:
    """Return the name of the field of repeats."""
    return _tr("Bloc&ks: trials of each split, mode and guest")


def splits_answer(spec: RunSpec) -> str:
    """Return the one-line answer of the step of splits: which of three, kept in which modes."""
    splits, modes = _split_labels(spec), list_modes(spec) or []
    names = {"caps": _tr("caps"), "weights": _tr("weights")}
    mode = names[modes[0]] if len(modes) == 1 else _tr("2 modes")
    named = ", ".join(splits)
    if len(splits) > 1 and len(named) > _SHORT:
        named = _tr("{n} splits").format(n=len(splits))
    return _tr("{splits}, {mode}").format(splits=named, mode=mode)


def loads_answer(spec: RunSpec) -> str:
    """Return the one-line answer of the step of loads: the guest's, and the second guest's beside it."""
    both = [times_users([(load.kind, load.users)]) for load in spec.guest_loads.values()]
    return _tr("{first} beside {second}").format(first=both[0], second=both[1])


def users_words(words: str) -> str:
    """Return what a load's users do."""
    return words


def loads_sentence(spec: RunSpec) -> str:
    """Return who does what in which guest."""
    first, second = spec.guest_loads[GUEST], spec.guest_loads[GUEST_2]
    text = _tr("In the guest {first}, in the second guest {second}; each has a {database} of its own{rows}.")
    does = {"first": users_of(first.kind, first.users), "second": users_of(second.kind, second.users)}
    title = DATABASES[first.engine].title if first.engine == second.engine else _tr("database")
    return text.format(**does, database=title, rows=_rows_text(first, second))


def changes_sentences(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return what changes on the host."""
    if facts is None:
        shares = _tr("The CPU shares of its I/O domain, its guest and a second guest.")
    else:
        names = {domain.id: domain.name for domain in facts.domains}
        text = _tr("How CPU {cpus} is shared by {io} (I/O domain), {guest} (guest) and {second}, nothing else.")
        shares = text.format(
            cpus=", ".join(map(str, facts.contended_cpus)),
            io=spec.io_domain or names[IO],
            guest=spec.guest_domain or names[GUEST],
            second=_second_guest_text(spec, facts),
        )
    if spec.study.databases:
        return f"{shares} {_tr('All three run already; none is started or ended.')}"
    return f"{shares} {_tr('The second guest is started for the study, and taken away after it.')}"


def _second_guest_text(spec: RunSpec, facts: HostProperties) -> str:
    name = second_guest_name(spec, facts)
    return _tr("{name} (second guest)").format(name=name) if name else _tr("a second guest")


def second_guest_name(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return what the host calls a second guest that runs there already; empty where that is not known."""
    study = spec.study_as(IsolationStudy)
    able = facts.second_guest.names if facts is not None and study.neighbour_database else ()
    return study.guest_2_domain or (able[0] if len(able) == 1 else "")


def measured_sentence(spec: RunSpec, facts: HostProperties | None) -> str:
    """Return what is measured, on which host."""
    host = _tr("this computer") if spec.host_url == "local:" else redact_url(spec.host_url)
    text = _tr("DomTune will load two guests on {host}, each alone and both together, while its CPU is divided {how}.")
    if facts is not None:
        text = _tr(
            "DomTune will load two guests on {host}, each alone and both together, while CPU {cpus} is divided {how}."
        )
    numbers = ", ".join(map(str, facts.contended_cpus)) if facts else ""
    return text.format(host=host, cpus=numbers, how=setting_row(spec)[1].removesuffix("."))


def setting_row(spec: RunSpec) -> tuple[str, str]:
    """Return the review's fact about the splits and how they are kept."""
    modes = list_modes(spec) or []
    period = _tr("by caps (in every {period} ms)").format(period=f"{spec.period_us / 1000:.7g}")
    kept = {"caps": period, "weights": _tr("by weights")}
    text = _tr("{splits}, {kept}.") if len(modes) < 2 else _tr("{splits}, each {kept}.")
    return _tr("Splits"), text.format(
        splits=join_list(_split_labels(spec)), kept=join_list([kept[mode] for mode in modes])
    )


def goal_sentences(spec: RunSpec) -> str:
    """Return what is looked for."""
    del spec
    return _tr("What each guest loses when the other one is busy: in all, and beyond what its share explains.")


def trials_sentence(spec: RunSpec) -> str:
    """Return how often each guest is measured alone, and both together, and for how long."""
    protocol = spec.protocol
    text = _tr(
        "At each split and in each mode, each guest alone and both together in each of {repeats} blocks, in random "
        "order (seed {seed}): {settle} s to settle that do not count, then {measure} s that do."
    )
    if protocol.repeats == 1:
        text = _tr(
            "At each split and in each mode, each guest alone and both together once, in random order (seed {seed}): "
            "{settle} s to settle that do not count, then {measure} s that do."
        )
    return text.format(
        repeats=protocol.repeats,
        seed=str(spec.seed).replace("-", MINUS),
        settle=max(protocol.settle_s, protocol.load_settle_s),  # nearly each trial begins a load anew
        measure=protocol.measure_s,
    )


def protocol_summary(spec: RunSpec, trials: str) -> str:
    """Return what the protocol comes to."""
    protocol = spec.protocol
    text = _tr(
        "{trials}: each guest alone and both together, {repeats} \N{MULTIPLICATION SIGN} {measure} s at each split and "
        "in each mode."
    )
    return text.format(trials=trials, repeats=protocol.repeats, measure=protocol.measure_s)


def _split_labels(spec: RunSpec) -> list[str]:
    return list_splits(spec) or []


def _rows_text(first: LoadSpec, second: LoadSpec) -> str:
    """Return how many rows the tables have, where the loads have such tables."""
    rows = {load.kind: f"{load.tuples:,}" for load in (first, second) if "tuples" in load.values}
    if not rows:
        return ""
    if len(set(rows.values())) == 1:
        return _tr(", {rows} rows per table").format(rows=next(iter(rows.values())))
    return _tr(", {rows} rows per table in turn").format(rows=join_list(list(rows.values())))

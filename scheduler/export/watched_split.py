"""Scripts of a split that a watch named, with the watch as evidence."""

import time
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from scheduler.errors import SpecError
from scheduler.export import bundle
from scheduler.export.guarded_writing import write_guarded
from scheduler.export.split_config import SplitEvidence
from scheduler.model.host_properties import HostProperties
from scheduler.model.number_texts import format_duration, format_percent, format_short
from scheduler.model.observation_documents import WatchResult
from scheduler.model.scheduler_params import DEFAULT_PERIOD_US, SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId
from scheduler.translation import _

_UNMEASURED = _(
    "Other splits were not measured: their results are estimates from the CPU used by both domains. "
    "A sweep measures them."
)


class WatchedSplit(msgspec.Struct, frozen=True):
    """Result of a watch as a `SplitConfig`.

    Attributes:
        answer: The result, with a split and its parameters.
        facts: Properties of the watched host.
        ended_unix_s: End of the watch, seconds since 1970; 0 when it is not known.
    """

    answer: WatchResult
    facts: HostProperties
    ended_unix_s: float = 0.0

    @property
    def label(self) -> str:
        """Label of the best static split, by estimate."""
        return self.answer.split.label if self.answer.split else ""

    @property
    def mode(self) -> Mode:
        """Mode of the split during the watch."""
        return Mode(self.answer.mode)

    @property
    def period_us(self) -> int:
        """Default period, microseconds; not used, as the limits keep their own periods."""
        return DEFAULT_PERIOD_US

    @property
    def params(self) -> Mapping[DomainId, SchedParams]:
        """Parameters of the split; the total of both domains is that of the watch."""
        return self.answer.params

    @property
    def made_for_it(self) -> bool:
        """False: the weights are those of the host's own groups, next to others."""
        return False

    @property
    def evidence(self) -> SplitEvidence:
        """Evidence from the watch, with the remark that nothing was measured."""
        answer = self.answer
        what = "limits" if self.mode is Mode.CAPS else "weights"
        return SplitEvidence(
            source=_("watching the host's own load for {t_s}{ended}").format(
                t_s=format_duration(answer.t_s), ended=_ended_text(self.ended_unix_s)
            ),
            host_title=answer.title,
            simulated=answer.simulated,
            headline=answer.headline,
            reasons=(*self._observation_reasons(), *answer.reasons),
            remark=_("The sum of both domains' {what} is unchanged; only the split differs").format(what=what),
            unit="",
            rows=(),
            seen="watched",
            again=_("Watch again"),
            versions=self.facts.versions,
        )

    def scope(self, groups: str) -> str:
        """Return the text on the limits of the split; `groups` names the limited things."""
        if self.mode is Mode.CAPS:
            return _(
                "The sum of the two limits is the same as when the {groups} were watched.\nCPU time "
                "that one leaves stays idle."
            ).format(groups=groups)
        return _(
            "Weights are not limits: they divide the CPU while both {groups} want it. Their sum "
            "is the same as\nwhen the {groups} were watched, so other programs get no less."
        ).format(groups=groups)

    def _observation_reasons(self) -> list[str]:
        answer = self.answer
        left_out = _("; {dropped} more could not be used").format(dropped=answer.dropped) if answer.dropped else ""
        long = f"{format_duration(answer.t_s)}{_ended_text(self.ended_unix_s)}"
        present = answer.present.label if answer.present else _("An unknown split")
        seen = _("Watched for {long}: {windows} windows of 10 s{left_out}. {present} was set at the end.").format(
            long=long, windows=answer.windows, left_out=left_out, present=present
        )
        reported = [seen, _UNMEASURED]
        low, high = answer.split_low, answer.split_high
        if low and high:
            reported.append(
                _("Within 2 % of the best, by the same estimate: {label} to {label_2}.").format(
                    label=low.label, label_2=high.label
                )
            )
        if answer.database_tps is not None:
            reported.append(
                _("The database committed {database_tps} transactions/s meanwhile.").format(
                    database_tps=format_short(answer.database_tps)
                )
            )
        if answer.timetable_gain_frac is not None and answer.timetable:
            gain = format_percent(answer.timetable_gain_frac)
            reported.append(
                _("The day repeats: a timetable of splits would gain {gain} more than this one (estimate).").format(
                    gain=gain
                )
            )
        return reported


def watched_refusal(answer: WatchResult) -> str:
    """Return the reason against scripts for a watch; empty when they are possible."""
    if answer.simulated:
        return _("the machine was simulated, and scripts for a real host need a real one")
    if not answer.split:
        return _("no split is named. {headline}").format(headline=answer.headline).strip()
    if answer.facts is None or not answer.params:
        return _("the watch has no settings for that split")
    return bundle.script_refusal(WatchedSplit(answer, answer.facts))


def write_watched(
    answer: WatchResult, target: Path, ended_unix_s: float = 0.0, *, replacing: Collection[Path] | None = ()
) -> tuple[Path, ...]:
    """Write the scripts into a folder or an archive; return the files written.

    Args:
        answer: Result of the watch.
        target: The folder, or the archive when its name ends in `.zip`.
        ended_unix_s: End of the watch, seconds since 1970; 0 when it is not known.
        replacing: Files that the user allows to replace; None for all.

    Raises:
        SpecError: The scripts are not possible, or would replace other files; nothing was written.
        OSError: The target could not be written.
    """
    why = watched_refusal(answer)
    if why or answer.facts is None:
        raise SpecError("bundle", why, hint=_("Watch a host whose limits or weights decide something."))
    split = WatchedSplit(answer, answer.facts, ended_unix_s)
    target.parent.mkdir(parents=True, exist_ok=True)
    return write_guarded(lambda path: bundle.write_bundle(split, path), target, replacing)


def _ended_text(ended_unix_s: float) -> str:
    return time.strftime(", until %Y-%m-%d %H:%M", time.localtime(ended_unix_s)) if ended_unix_s else ""

"""Result of watching: the headline, the reservations, and the changes for a split."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout

from app.display_texts import format_duration, format_parameter, format_percent, format_rate, typeset_text
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.buttons import link_button, primary_button, secondary_button, set_button_rank
from app.widgets.card import Card
from app.widgets.fold_button import FoldButton
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label, make_selectable, tooltip_text
from app.widgets.side_by_side import SideBySide
from app.widgets.split_bar import SplitTag
from app.widgets.table import TableData, TableView
from scheduler.model.observation_documents import WatchOutlook, WatchResult
from scheduler.model.split import Split
from scheduler.model.terminal_text import replace_controls
from scheduler.translation import _

_WORTH = frozenset({WatchOutlook.LITTLE, WatchOutlook.TRIAL})


def label_of(split: Split | None) -> str:
    """Return the label of a split; empty for none."""
    return split.label if split is not None else ""


def no_follow_reason(answer: WatchResult) -> str:
    """Return the reason not to follow a load; empty if following may be worthwhile."""
    if answer.outlook in _WORTH:
        return ""
    gain = answer.following_gain_frac
    if answer.outlook is WatchOutlook.STATIC and gain is not None:
        words = _("One fixed split is enough. Following would gain {gain} more (estimate).")
        return words.format(gain=format_percent(max(0.0, gain)))
    if answer.outlook is WatchOutlook.STATIC:
        return _("With weights the gain of following cannot be estimated: it depends on other guests' demand.")
    if answer.outlook is WatchOutlook.NOTHING:
        return _("Following would not help: the current settings never took effect.")
    return _("The gain of following cannot be estimated from these counters.")


def no_export_reason(answer: WatchResult) -> str:
    """Return the reason why scripts cannot be exported; empty if they can."""
    if answer.simulated:
        return _("Not available for simulated hosts: a configuration needs counters of a real host.")
    if not answer.split:
        words = _("There is no recommended split, so there is no configuration to export. {why}")
        return words.format(why=typeset_text(answer.headline)).strip()
    from scheduler.export import watched_split

    why = watched_split.watched_refusal(answer)
    return _("No configuration can be exported: {why}").format(why=why) if why else ""


_ROW_PX = 34
_MOST_ROWS = 7
_BESIDE_PX = 420


class WatchAnswerCard(Card):
    """Card with the result of watching; hidden until there is a result.

    Args:
        theme: Colours.

    Signals:
        apply_wanted: The user wants to apply the named split.
        export_wanted: The user wants scripts for the named split.
        sweep_wanted: The user wants to sweep the host.
        follow_wanted: The user wants to follow the load.
        again_wanted: The user wants to watch again.
    """

    apply_wanted = Signal()
    export_wanted = Signal()
    follow_wanted = Signal()
    sweep_wanted = Signal()
    again_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._make_words()
        self.times_title = make_label("", "strong", wrap=True)
        self.times = TableView(_("Timetable"))
        self.changes = TableView(_("Parameters: now and new"))
        self.fold = FoldButton(self._theme, "", self.changes)
        words = _("You cannot apply a split to a simulated host. It ends with the watching.")
        self.nowhere = make_label(words, "dim", wrap=True)
        for part in (self.times_title, self.times):
            self.body.addWidget(part)
        self.body.addLayout(self._make_fold_line())
        for part in (self.changes, self.nowhere):
            self.body.addWidget(part)
        self._make_buttons()
        self.hide()

    def _make_words(self) -> None:
        self.headline = make_selectable(make_label("", "title", wrap=True))
        self.tag = SplitTag(self._theme, None, "lead")
        self.as_good = make_label("", "dim", wrap=True)
        found = SideBySide(_BESIDE_PX)
        found.add(self.tag, 0)
        found.add(self.as_good, 1)
        self.following = make_selectable(make_label("", wrap=True))
        words = _("This is an estimate from counters. To measure the gain, run a sweep.")
        estimate = make_label(words, "strong", wrap=True)
        set_glossary_tip(estimate, "watch")
        self.seen = make_selectable(make_label("", "dim", wrap=True))
        self.reasons = make_selectable(make_label("", wrap=True))
        for part in (self.headline, found, self.following, estimate, self.seen, self.reasons):
            self.body.addWidget(part)

    def _make_fold_line(self) -> QHBoxLayout:
        """Return a row that shows the parameters and exports them as scripts."""
        self.export_button = link_button(self._theme, _("Export configuration\N{HORIZONTAL ELLIPSIS}"), "export")
        self.export_button.clicked.connect(self.export_wanted)
        line = QHBoxLayout()
        line.addWidget(self.fold)
        line.addStretch(1)
        line.addWidget(self.export_button)
        return line

    def _make_buttons(self) -> None:
        theme = self._theme
        self.apply_button = primary_button(theme, "", "apply")
        self.sweep_button = secondary_button(theme, _("Measure by a sweep"), "sweep")
        self.follow_button = secondary_button(theme, _("Follow\N{HORIZONTAL ELLIPSIS}"), "follow")
        self.again_button = secondary_button(theme, _("Watch again"), "eye")
        self.body.addLayout(self._make_button_row())

    def show_answer(self, answer: WatchResult) -> None:
        """Show the result of watching a host."""
        sentence, end, more = typeset_text(answer.headline).partition(". ")  # the second sentence is about following
        self.headline.setText(sentence + end.strip())
        self.following.setText(more)
        self.following.setVisible(bool(more))
        self.tag.set_split(answer.ordered_split)  # only a split to apply has a bar
        self.tag.setVisible(bool(answer.ordered_split))
        low, high = answer.split_low, answer.split_high
        words = _("Equally good, within 2 % of the best (estimate): {low} to {high}")
        self.as_good.setText(words.format(low=low.label, high=high.label) if low and high else "")
        self.as_good.setVisible(low is not None)
        self.seen.setText(self._observed_text(answer))
        self.reasons.setText(typeset_text("\n".join(f"\N{BULLET} {reason}" for reason in answer.reasons)))
        self.reasons.setVisible(bool(answer.reasons))
        self._show_times(answer)
        self._show_changes(answer)
        self._offer_configuration(answer)
        why_not = no_follow_reason(answer)
        self.follow_button.setEnabled(not why_not)
        self.follow_button.setToolTip(
            tooltip_text(why_not or _("Keep the split near the best for the current load. DomTune asks you first."))
        )
        follows = answer.outlook is WatchOutlook.TRIAL and bool(answer.ordered_split)  # the headline recommends it
        set_button_rank(self._theme, self.follow_button, "follow", strong=follows)
        set_button_rank(self._theme, self.apply_button, "apply", strong=not follows)
        self.setAccessibleName(answer.headline)
        self.show()

    def _offer_configuration(self, answer: WatchResult) -> None:
        """Enable the export of scripts, or explain why scripts cannot be exported."""
        why = no_export_reason(answer)
        words = _("Export scripts that set, check, revert and keep {split}, with the watched counters")
        self.export_button.setEnabled(not why)
        self.export_button.setToolTip(tooltip_text(why or words.format(split=label_of(answer.split))))

    def _observed_text(self, answer: WatchResult) -> str:
        words = _("{title}: {n} windows of 10 s in {time}. At the end, {split} was set.").format(
            title=replace_controls(answer.title),
            n=answer.windows,
            time=format_duration(answer.t_s),
            split=label_of(answer.present),
        )
        if answer.database_tps is None:
            return words
        tps = format_rate(answer.database_tps, _("transactions/s"))
        return " ".join((words, _("The database committed {tps}.").format(tps=tps)))

    def _show_times(self, answer: WatchResult) -> None:
        there = bool(answer.timetable) and answer.timetable_gain_frac is not None
        self.times_title.setVisible(there)
        self.times.setVisible(there)
        if not there:
            return
        words = _("The load repeats every day. A timetable would gain {gain} more than one split (estimate).")
        self.times_title.setText(words.format(gain=format_percent(answer.timetable_gain_frac)))
        rows = [(row.begins, row.split.label) for row in answer.timetable]
        _fill_table(self.times, TableData((_("From"), _("Split")), rows))

    def _show_changes(self, answer: WatchResult) -> None:
        there = bool(answer.changes)
        self.fold.setVisible(there)
        self.fold.setChecked(False)
        self.fold.setText(_("Parameters for {split} (nothing was written)").format(split=label_of(answer.split)))
        self.nowhere.setVisible(there and answer.simulated)
        self.apply_button.setText(_("Apply {split}\N{HORIZONTAL ELLIPSIS}").format(split=label_of(answer.split)))
        self.apply_button.setVisible(there and bool(answer.ordered_split) and not answer.simulated)
        names = {"io": _("I/O domain"), "guest": _("Guest")}
        headers = (_("Domain"), _("Parameter"), _("Now"), _("New"))
        rows = [
            (
                names.get(row.domain, row.domain),
                row.parameter,
                format_parameter(row.before),
                format_parameter(row.after),
            )
            for row in answer.changes
        ]
        _fill_table(self.changes, TableData(headers, rows))

    def _make_button_row(self) -> QHBoxLayout:
        self.apply_button.clicked.connect(self.apply_wanted)
        self.sweep_button.clicked.connect(self.sweep_wanted)
        self.follow_button.clicked.connect(self.follow_wanted)
        self.again_button.clicked.connect(self.again_wanted)
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(self.again_button)
        row.addStretch(1)
        row.addWidget(self.sweep_button)
        row.addWidget(self.follow_button)
        row.addWidget(self.apply_button)
        return row


def _fill_table(view: TableView, table: TableData) -> None:
    view.set_table(table)
    view.setFixedHeight(_ROW_PX * (1 + min(_MOST_ROWS, max(1, len(table.rows)))))

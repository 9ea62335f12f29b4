"""Actions of the result page: one primary button, the others secondary."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPushButton, QWidget

from app.display_texts import format_percent, format_rough_duration
from app.pages.capacity_plans import more_users_plan, most_users, narrowing_plan
from app.pages.decision_texts import doubt_words
from app.pages.result_data import ResultData
from app.plots.knee_bars import knees_in
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from app.widgets.buttons import link_button, secondary_button, set_button_rank
from app.widgets.labels import tooltip_text
from scheduler.model.decision import DecisionKind
from scheduler.model.results import Answer, SplitProposal
from scheduler.model.run_paths import RUN_FILE
from scheduler.model.spec import RunSpec
from scheduler.translation import _


class ResultActions(QFrame):
    """Row of actions below a result; its signals are the user's requests.

    Signals:
        lengthen_wanted: Minutes by which to continue the run.
        export_wanted: Name of the exporter.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    apply_wanted = Signal()
    confirm_wanted = Signal()
    measure_wanted = Signal()
    continue_wanted = Signal()
    lengthen_wanted = Signal(float)
    replay_wanted = Signal()
    other_wanted = Signal()
    export_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._more_min: float | None = None  # minutes that a complete run needs for a decision
        self.setProperty("look", "footer")
        self.bundle = link_button(theme, _("Export configuration\N{HORIZONTAL ELLIPSIS}"), "export")
        self.report = link_button(theme, _("Save report\N{HORIZONTAL ELLIPSIS}"), "report")
        self.more = link_button(theme, _("Export"), "table")
        self.more.setMenu(self._make_export_menu())
        self.replay = link_button(theme, _("Show the run"), "play")
        self.measure = secondary_button(theme, "", "plot")
        self.confirm = secondary_button(theme, _("Confirm with a longer run\N{HORIZONTAL ELLIPSIS}"), "refresh")
        self.go_on = secondary_button(theme, _("Continue"), "play")
        self.apply = secondary_button(theme, _("Apply to host\N{HORIZONTAL ELLIPSIS}"), "apply")
        self.other = secondary_button(theme, _("Try another scheduler\N{HORIZONTAL ELLIPSIS}"), "sweep")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        row.setSpacing(SPACE_S)
        self.others = link_button(theme, _("More"))
        self.others.setMenu(self._make_quiet_menu())
        self._quiet = (self.bundle, self.report, self.more, self.replay)
        self._main = (self.measure, self.confirm, self.go_on, self.apply, self.other)
        for button in (*self._quiet, self.others):
            row.addWidget(button)
        row.addStretch(1)
        for button in self._main:
            row.addWidget(button)
        self.others.hide()
        self.bundle.clicked.connect(lambda: self.export_wanted.emit("bundle"))
        self.report.clicked.connect(lambda: self.export_wanted.emit("html"))
        self.replay.clicked.connect(self.replay_wanted)
        self.measure.clicked.connect(self.measure_wanted)
        self.confirm.clicked.connect(self.confirm_wanted)
        self.go_on.clicked.connect(self._continue_run)
        self.apply.clicked.connect(self.apply_wanted)
        self.other.clicked.connect(self.other_wanted)

    def minimumSizeHint(self) -> QSize:
        """Ask for space for the main actions and one button for all others."""
        return QSize(self._needs_px(self.others), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the secondary actions into a menu if the width is too small."""
        super().resizeEvent(event)
        self._fold_actions()

    def _fold_actions(self) -> None:
        """Put the secondary actions into one menu if they do not fit next to the others."""
        narrow = self.width() < self._needs_px(*self._quiet)
        self.others.setVisible(narrow)
        for button in self._quiet:
            button.setVisible(not narrow)

    def _needs_px(self, *quiet: QPushButton) -> int:
        shown = [*quiet, *(button for button in self._main if not button.isHidden())]
        return sum(button.sizeHint().width() + SPACE_S for button in shown) + 2 * SPACE_L

    def show_finding(self, finding: ResultData, answer: Answer) -> None:
        """Show the possible actions; the decision chooses the primary one, if any.

        Args:
            finding: The run.
            answer: Displayed answer.
        """
        decision = answer.decision
        self._offer_more(finding)
        self._offer_proposal(answer.recommendation.proposal if answer.recommendation else None)
        named = bool(decision.label)
        simulated = finding.results.simulated
        self.apply.setEnabled(named and not simulated)
        split = finding.run.spec.kind.recommends_split  # other studies have no split to apply or to confirm
        self.apply.setVisible(not simulated and split)
        self.other.setVisible(simulated and split)
        knees = knees_in(finding.results.answer)
        wider = more_users_plan(finding.run.spec, knees)
        further = wider is not None or (not finding.unfinished and narrowing_plan(finding.run.spec, knees) is not None)
        self.confirm.setVisible(split or further)
        calibrated = not finding.run.spec.protocol.decides
        self.confirm.setText(self._next_run_text(decision.kind, calibrates=calibrated, wider=wider, split=split))
        self.confirm.setEnabled(named or calibrated or further)
        self._offer_configuration(finding, answer)
        self.apply.setToolTip(tooltip_text(self._no_apply_reason(answer, simulated=simulated)))
        best = self._primary_button(decision.kind, simulated=simulated)
        ranked = {self.confirm: "refresh", self.go_on: "play", self.apply: "apply", self.other: "sweep"}
        for button, icon in ranked.items():
            set_button_rank(self._theme, button, icon, strong=button is best)
        self._fold_actions()

    def hide_orders(self) -> None:
        """Hide the actions that follow from the answer, until `show_finding`.

        The exports stay: an export always has the final answer.
        """
        for button in self._main:
            button.hide()
        self._fold_actions()

    def _primary_button(self, kind: DecisionKind, *, simulated: bool) -> QPushButton | None:
        """Return the button that follows from the decision; None if none does."""
        match kind:
            case DecisionKind.CHANGE:
                return self.other if simulated else self.apply
            case DecisionKind.STAY:
                return self.other if simulated else None
            case DecisionKind.NOT_YET | DecisionKind.UNKNOWN:
                return self.confirm if self.go_on.isHidden() else self.go_on

    def _next_run_text(self, kind: DecisionKind, *, calibrates: bool, wider: RunSpec | None, split: bool) -> str:
        """Return the label of the next run; only an existing decision can be confirmed."""
        if wider is None and not split:
            return _("Narrow the range\N{HORIZONTAL ELLIPSIS}")
        if wider is not None:
            return _("Try up to {n} users\N{HORIZONTAL ELLIPSIS}").format(n=most_users(wider))
        if calibrates:
            return _("Sweep all splits\N{HORIZONTAL ELLIPSIS}")
        if kind in (DecisionKind.NOT_YET, DecisionKind.UNKNOWN):
            return _("Decide with a longer run\N{HORIZONTAL ELLIPSIS}")
        return _("Confirm with a longer run\N{HORIZONTAL ELLIPSIS}")

    def _offer_configuration(self, finding: ResultData, answer: Answer) -> None:
        """Enable the configuration export, or show the reason why there is none."""
        why = finding.no_configuration(answer)
        words = _("Export scripts that set, check, revert and keep {split}, with the evidence")
        words = f"{words.format(split=answer.decision.label)}. {doubt_words(answer.decision)}".removesuffix(". ")
        if finding.results.simulated:
            words = _("Not available for simulated sweeps. A configuration needs a measured sweep.")
        elif not answer.decision.label:
            words = _("No split could be compared, so there is no configuration to export.")
        elif why:
            words = _("No configuration can be exported: {why}").format(why=why)
        self.bundle.setEnabled(not why and bool(answer.decision.label))
        self.bundle.setToolTip(tooltip_text(words))

    def _offer_more(self, finding: ResultData) -> None:
        """Offer to continue a run that lacks trials or a decision."""
        decision = finding.results.answer.decision  # for the planned weights, which control the measurement
        self._more_min = None if finding.unfinished else decision.minutes_left
        wanted = finding.unfinished or self._more_min is not None
        self.go_on.setVisible(wanted and not finding.continued and finding.origin is None)
        words = _("Continue")
        if decision.minutes_left is not None:
            words = _("Continue for about {time}").format(
                time=format_rough_duration(60 * max(1.0, decision.minutes_left))
            )
        self.go_on.setText(words)
        self.go_on.setToolTip(_("Continues in a new run. Measured trials are kept."))

    def _continue_run(self) -> None:
        if self._more_min is None:
            self.continue_wanted.emit()
        else:
            self.lengthen_wanted.emit(self._more_min)

    def _offer_proposal(self, proposal: SplitProposal | None) -> None:
        """Offer to measure an interpolated split."""
        self.measure.setVisible(proposal is not None)
        if proposal is not None:
            self.measure.setText(_("Measure {split}\N{HORIZONTAL ELLIPSIS}").format(split=proposal.label))
            words = _(
                "Interpolated, not measured: {split} may give {gain} more. A short sweep can compare it with the best."
            )
            words = words.format(split=proposal.label, gain=format_percent(proposal.gain_frac))
            self.measure.setToolTip(tooltip_text(words))

    def _no_apply_reason(self, answer: Answer, *, simulated: bool) -> str:
        if simulated:
            return _("You cannot apply a split to a simulated host.")
        return doubt_words(answer.decision)

    def _make_quiet_menu(self) -> QMenu:
        """Return the menu of all secondary actions."""
        menu = QMenu(self)
        for button in (self.bundle, self.report, self.replay):
            action = QAction(button.text(), menu)
            action.triggered.connect(button.click)
            menu.addAction(action)
        menu.addSeparator()
        self._add_exports(menu)
        menu.aboutToShow.connect(lambda: menu.actions()[0].setEnabled(self.bundle.isEnabled()))
        return menu

    def _make_export_menu(self) -> QMenu:
        menu = QMenu(self)
        self._add_exports(menu)
        return menu

    def _add_exports(self, menu: QMenu) -> None:
        kinds = (
            ("csv", _("Points and trials as CSV, two files\N{HORIZONTAL ELLIPSIS}")),
            ("json", _("Results as JSON\N{HORIZONTAL ELLIPSIS}")),
            ("plan", _("Plan file\N{HORIZONTAL ELLIPSIS}")),
            (RUN_FILE, _("Run file, to open elsewhere\N{HORIZONTAL ELLIPSIS}")),
        )
        for kind, words in kinds:
            action = QAction(words, menu)
            action.triggered.connect(lambda _=False, kind=kind: self.export_wanted.emit(kind))
            menu.addAction(action)

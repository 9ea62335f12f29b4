"""Card with the conditions of a run: protocol, versions, differences, every trial."""

from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QWidget

from app.display_texts import format_clock, format_duration
from app.load_texts import load_name
from app.pages.figures_fold import FiguresFold
from app.pages.result_data import ResultData
from app.plots.client_texts import clients_words
from app.plots.live_texts import outcome_name, reason_after_outcome, settling_words
from app.plots.plot_tables import operations_table, trials_table
from app.plots.split_delegate import SplitDelegate
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_XS
from app.widgets.card import Card
from app.widgets.fold_button import FoldButton
from app.widgets.labels import make_label, make_selectable
from app.widgets.scroll_areas import scroll_into_view
from app.widgets.table import TableView
from scheduler.model.load import LoadSpec
from scheduler.model.plan_settings import list_modes
from scheduler.model.sentence_texts import domain_title
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId
from scheduler.model.terminal_text import replace_controls
from scheduler.stats.objective_words import format_objective
from scheduler.stats.stalls import first_of_each_trial
from scheduler.translation import _

_TABLE_PX = 320


class MeasuredCard(Card):
    """Conditions of a run, with tables of trials and of operations to unfold.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self.set_title(_("Measurement"))
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(SPACE_L)
        self._form.setVerticalSpacing(SPACE_XS)
        self._facts: list[tuple[QLabel, QLabel]] = []
        self._finding: ResultData | None = None
        self.body.addLayout(self._form)
        self.figures = FiguresFold(theme)
        self.body.addWidget(self.figures)
        self.sorts_fold, self.sorts = self._add_folded_table(theme, _("Operation types"), 0)
        self.fold, self.trials = self._add_folded_table(theme, _("Every trial"), 2)
        self.fold.toggled.connect(self._toggle_fold)
        self.sorts_fold.toggled.connect(self.sorts.setVisible)

    def _add_folded_table(self, theme: Theme, words: str, split_column: int) -> tuple[FoldButton, TableView]:
        """Add a table that the user can unfold."""
        fold, table = FoldButton(theme, words), TableView(words)
        table.setItemDelegateForColumn(split_column, SplitDelegate(theme, table))
        table.setMinimumHeight(_TABLE_PX)
        table.hide()
        line = QHBoxLayout()
        line.addWidget(fold)
        line.addStretch(1)
        self.body.addLayout(line)
        self.body.addWidget(table)
        fold.clicked.connect(lambda: scroll_into_view(table))
        return fold, table

    def show_finding(self, finding: ResultData) -> None:
        """Show a run."""
        self.set_title(self._make_head(finding))
        rows = self.facts_of(finding)
        while len(self._facts) < len(rows):  # labels are reused, because they are slow to make
            self._facts.append((make_label("", "dim"), make_selectable(make_label("", wrap=True))))
            self._form.addRow(*self._facts[-1])
        for row, (name, words) in enumerate(self._facts):
            self._form.setRowVisible(row, row < len(rows))
            if row < len(rows):
                name.setText(rows[row][0])
                words.setText(rows[row][1])
        self._finding = finding
        self.figures.show_points(finding.results.points)
        self._toggle_fold(self.fold.isChecked())
        sorts = operations_table(finding.results.points)
        self.sorts.set_table(sorts)
        self.sorts_fold.setVisible(bool(sorts.rows))
        self.sorts.setVisible(bool(sorts.rows) and self.sorts_fold.isChecked())

    def _make_head(self, finding: ResultData) -> str:
        """Return the heading; a simulated run is called simulated, not measured."""
        return _("Simulation") if finding.results.simulated else _("Measurement")

    def facts_of(self, finding: ResultData) -> list[tuple[str, str]]:
        """Return name and text of each condition."""
        results, spec = finding.results, finding.run.spec
        protocol = spec.protocol
        windows = _("{name}: {n} trials of {m} s per split and load, {s} s of settling before each")
        if not spec.kind.recommends_split:
            windows = _("{name}: {n} trials of {m} s per setting and load, {s} s of settling before each")
        means = {
            Mode.CAPS: _("caps"),
            Mode.WEIGHTS: _("weights"),
            Mode.DEDICATED: _("dedicated CPUs"),
        }
        mode = ", ".join(means[mode] for mode in map(Mode, list_modes(spec) or [spec.mode]))
        if spec.adapts:
            windows = _("{name}: {all} trials of {m} s until the best was known, {s} s of settling before each")
        users = _("{load} with up to {n} users") if spec.kind.varies_users else _("{load} with {n} users")
        one = _("{load} with 1 user")
        words = [(users if x.users > 1 else one).format(load=load_name(x.name), n=x.users) for x in spec.loads]
        loads = ", ".join(words)
        if spec.kind.has_two_guests:
            loads = ", ".join(_guest_load_text(guest, load, users, one) for guest, load in spec.guest_loads.items())
        rows = [
            (_("Host"), f"{replace_controls(results.host_title)} ({results.host})"),
            (_("When"), self._time_text(finding)),
            (
                _("Protocol"),
                windows.format(
                    name=protocol.name,
                    n=protocol.repeats,
                    m=protocol.measure_s,
                    s=protocol.settle_s,
                    all=len(first_of_each_trial(finding.trials)),
                ),
            ),
            (_("Settling"), "\n".join(settling_words(found) for found in results.settling)),
            (_("Mode"), mode),
            (_("Loads"), loads),
            (_("Clients"), "\n".join(clients_words(finding.results.points))),
            (
                _("Objective"),
                format_objective(spec.objective, [x.name for x in spec.loads]) if spec.kind.recommends_split else "",
            ),
            (_("Outcome"), self._outcome_text(finding)),
            (_("Versions"), ", ".join(f"{name} {version}" for name, version in results.versions.items())),
            (_("Differences"), "\n".join(results.differences)),
            (_("Warnings"), "\n".join(results.notices)),
            (_("Run"), results.run_id),
        ]
        return [(name, words) for name, words in rows if words]

    def _time_text(self, finding: ResultData) -> str:
        """Return start and length of the run; a simulated run has simulated time."""
        text = _("{clock}, {time} simulated") if finding.results.simulated else _("{clock}, {time}")
        return text.format(
            clock=format_clock(finding.results.started_unix_s), time=format_duration(finding.results.measured_s)
        )

    def _outcome_text(self, finding: ResultData) -> str:
        words = outcome_name(finding.results.outcome)
        why = reason_after_outcome(
            finding.results.outcome, finding.results.reason
        )  # the page's message shows the details
        reason = f": {why}" if why else ""
        restored, unknown = _("original settings restored"), _("original settings: restore NOT confirmed")
        host = restored if finding.results.restored else unknown
        if finding.results.busy:
            host = _("host not changed: it was in use")
        return f"{words}{reason}; {host}"

    def _toggle_fold(self, shown: bool) -> None:  # noqa: FBT001 - Qt's slot
        if shown and self._finding is not None:  # a table of a thousand trials is made on demand
            self.trials.set_table(trials_table(self._finding.trials, max(1, self._finding.results.cpus)))
        self.trials.setVisible(shown)


def _guest_load_text(guest: DomainId, load: LoadSpec, users: str, one: str) -> str:
    return (
        f"{domain_title(guest)}: {(users if load.users > 1 else one).format(load=load_name(load.name), n=load.users)}"
    )

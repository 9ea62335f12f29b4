"""How the server reads that DomTune starts: asked where a study measures what each query costs."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.theme.tokens import SPACE_XS
from app.widgets.labels import make_label
from app.wizard.choice_field import ChoiceField
from app.wizard.wizard_state import WizardState
from scheduler.model.databases import DATABASES, IO_METHOD
from scheduler.model.server_settings import has_built_in_database, study_server_settings


class ServerField(QWidget):
    """Hidden where DomTune starts no such server, and where another database is compared with: its settings count.

    Signals:
        changed: Another way was chosen; it is in the form already.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__()
        self._state = state
        names = {
            "sync": self.tr("each back end itself (sync)"),
            "worker": self.tr("by I/O workers (worker)"),
        }
        self.way = ChoiceField(self.tr("PostgreSQL reads"), names)
        self.means = make_label(self.tr("Only what a back end reads itself is counted at its query."), "dim", wrap=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_XS)
        box.addWidget(self.way)
        box.addWidget(self.means)
        self.way.chosen.connect(self._store_io_method)
        self.hide()

    def refresh(self) -> None:
        """Show how it reads now."""
        spec, asked = self._state.spec, self._state.form.kind.factor == "side"
        if spec is None or not asked:  # while something is wrong elsewhere it stays as it is
            self.setVisible(asked and not self.isHidden())
            return
        declared = [each for each in DATABASES[spec.loads[0].engine].settings if each.name == IO_METHOD]
        self.setVisible(bool(declared) and not spec.base and has_built_in_database(spec.host_url, spec.loads))
        for each in declared:
            self.way.set_value(spec.server.get(IO_METHOD, str(each.default)))

    def _store_io_method(self, value: str) -> None:
        form, spec = self._state.form, self._state.spec
        usual = study_server_settings(form.study, spec.host_url, spec.loads, spec.base) if spec is not None else {}
        if value == usual.get(IO_METHOD):
            form.varied.server.pop(IO_METHOD, None)
        else:
            form.varied.server[IO_METHOD] = value
        self.changed.emit()

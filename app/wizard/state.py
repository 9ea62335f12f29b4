"""What the pages of the wizard share: the form, what it means, and what is known about its host."""

from PySide6.QtCore import QObject, Signal

from app.wizard.form import SweepForm
from app.wizard.outlook import as_carried_out
from app.wizard.page_names import page_of
from scheduler.model.facts import HostFacts
from scheduler.model.spec import RunSpec
from scheduler.shares.base import Machine, machine_of


class WizardState(QObject):
    """Pages write into `form` and call `touch`; they read `spec`, `messages` and `facts` when `changed` comes.

    Signals:
        changed: Something was typed, or the host answered.
        replaced: The whole form is another one; fields show its text.

    Attributes:
        form: What was typed.
        spec: The sweep that it means; None while something is wrong.
        mended: The same with the defaults of every page on which something is wrong.
        ahead: That as the host will have it, as far as it is known: what the pages say, and how long it takes.
        messages: What is wrong, by field.
    """

    changed = Signal()
    replaced = Signal()

    def __init__(self, form: SweepForm, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.form = form
        self.spec: RunSpec | None = None
        self.mended: RunSpec | None = None
        self.ahead: RunSpec | None = None
        self.messages: dict[str, str] = {}
        self._facts: HostFacts | None = None
        self._facts_of = ""
        self._trouble = ""
        self._read()

    @property
    def facts(self) -> HostFacts | None:
        """The host that is typed now, as it answered; None while it has not."""
        return self._facts if self._facts_of == self.form.host.strip() else None

    @property
    def trouble(self) -> str:
        """Why the host that is typed now did not answer; empty while it was not asked, or did."""
        return self._trouble if self._facts_of == self.form.host.strip() else ""

    def touch(self) -> None:
        """Say that the form's text changed."""
        self._read()
        self.changed.emit()

    def replace(self, form: SweepForm) -> None:
        """Take another form; what is known about the host stays where it is the same one."""
        self.form = form
        self._read()
        self.replaced.emit()
        self.changed.emit()

    def learn(self, url: str, facts: HostFacts | None, trouble: str = "") -> None:
        """Keep what the host at `url` said about itself; None when it cannot be used, and why if that is known."""
        self._facts, self._facts_of, self._trouble = facts, url, trouble
        self.touch()

    def messages_of(self, page: str) -> dict[str, str]:
        """Return what is wrong on one page; on `review`, nothing of its own."""
        return {name: text for name, text in self.messages.items() if page_of(name) == page}

    def _read(self) -> None:
        self.form.scheduler = self.facts.scheduler if self.facts else ""
        self.form.facts = self.facts
        self.form.machine = machine_of(self.facts) if self.facts else Machine()
        result = self.form.to_spec()
        self.spec = result if isinstance(result, RunSpec) else None
        self.messages = {} if isinstance(result, RunSpec) else result
        mended = result if isinstance(result, RunSpec) else self.form.mended().to_spec()
        self.mended = mended if isinstance(mended, RunSpec) else None
        self.ahead = as_carried_out(self.mended, self.facts) if self.mended is not None else None

"""What the pages of the wizard share: the form, what it means, and what is known about its host."""

from PySide6.QtCore import QObject, Signal

from app.wizard.page_names import page_of
from app.wizard.sweep_estimate import adapt_to_host
from app.wizard.sweep_form import SweepForm
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.shares.share_model import HostMachine, build_host_machine


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
        self.corrected: RunSpec | None = None
        self.ahead: RunSpec | None = None
        self.messages: dict[str, str] = {}
        self._facts: HostProperties | None = None
        self._facts_of = ""
        self._trouble = ""
        self._read_form()

    @property
    def facts(self) -> HostProperties | None:
        """The host that is typed now, as it answered; None while it has not."""
        return self._facts if self._facts_of == self.form.host.strip() else None

    @property
    def trouble(self) -> str:
        """Why the host that is typed now did not answer; empty while it was not asked, or did."""
        return self._trouble if self._facts_of == self.form.host.strip() else ""

    def touch(self) -> None:
        """Say that the form's text changed."""
        self._read_form()
        self.changed.emit()

    def replace(self, form: SweepForm) -> None:
        """Take another form; what is known about the host stays where it is the same one."""
        self.form = form
        self._read_form()
        self.replaced.emit()
        self.changed.emit()

    def store_host_answer(self, url: str, facts: HostProperties | None, trouble: str = "") -> None:
        """Keep what the host at `url` said about itself; None when it cannot be used, and why if that is known."""
        self._facts, self._facts_of, self._trouble = facts, url, trouble
        self.touch()

    def messages_of(self, page: str) -> dict[str, str]:
        """Return what is wrong on one page; on `review`, nothing of its own."""
        return {name: text for name, text in self.messages.items() if page_of(name) == page}

    def _read_form(self) -> None:
        self.form.scheduler = self.facts.scheduler if self.facts else ""
        self.form.facts = self.facts
        self.form.machine = build_host_machine(self.facts) if self.facts else HostMachine()
        result = self.form.to_spec()
        self.spec = result if isinstance(result, RunSpec) else None
        self.messages = {} if isinstance(result, RunSpec) else result
        mended = result if isinstance(result, RunSpec) else self.form.corrected(result).to_spec()
        self.corrected = mended if isinstance(mended, RunSpec) else None
        self.ahead = adapt_to_host(self.corrected, self.facts) if self.corrected is not None else None

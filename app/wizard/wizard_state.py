"""State that the wizard's pages share: the form, its plan and its host."""

from PySide6.QtCore import QObject, Signal

from app.wizard.page_names import page_of
from app.wizard.sweep_estimate import adapt_to_host
from app.wizard.sweep_form import SweepForm
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.shares.share_model import HostMachine, build_host_machine


class WizardState(QObject):
    """State shared by the pages.

    A page writes into `form` and calls `touch`. A page reads `spec`, `messages` and `facts` after `changed`.

    Signals:
        changed: The form changed, or the host answered.
        replaced: The whole form was replaced; fields must show its text.

    Attributes:
        form: The user's input.
        spec: Plan of the form; None for a mistake.
        corrected: Plan of the form, with the defaults for each page with a mistake; None if still wrong.
        ahead: `corrected`, adapted to the host if known; for texts and durations.
        placed: The host with the plan's shared CPUs; None before the host answered.
        messages: Field of the form to its mistake.
    """

    changed = Signal()
    replaced = Signal()

    def __init__(self, form: SweepForm, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.form = form
        self.spec: RunSpec | None = None
        self.corrected: RunSpec | None = None
        self.ahead: RunSpec | None = None
        self.placed: HostProperties | None = None
        self.messages: dict[str, str] = {}
        self._facts: HostProperties | None = None
        self._facts_of = ""
        self._trouble = ""
        self._read_form()

    @property
    def facts(self) -> HostProperties | None:
        """Properties of the typed host; None before it answered."""
        return self._facts if self._facts_of == self.form.host.strip() else None

    @property
    def trouble(self) -> str:
        """Reason why the typed host did not answer; empty if not asked or answered."""
        return self._trouble if self._facts_of == self.form.host.strip() else ""

    def touch(self) -> None:
        """Read the form after a change, and emit `changed`."""
        self._read_form()
        self.changed.emit()

    def store_text(self, path: str, text: str) -> None:
        """Store the typed text of a key of the plan.

        Args:
            path: The key, `objective.worth_frac`.
            text: Typed text.
        """
        self.form.texts[path] = text
        self.touch()

    def replace(self, form: SweepForm) -> None:
        """Replace the form; the host's properties stay if the host is the same."""
        self.form = form
        self._read_form()
        self.replaced.emit()
        self.changed.emit()

    def store_host_answer(self, url: str, facts: HostProperties | None, trouble: str = "") -> None:
        """Store the answer of a host.

        Args:
            url: The host's URL.
            facts: The host's properties; None for a host that cannot be used.
            trouble: Reason why the host cannot be used; empty if unknown.
        """
        self._facts, self._facts_of, self._trouble = facts, url, trouble
        self.touch()

    def messages_of(self, page: str) -> dict[str, str]:
        """Return the mistakes of one page; `review` has none of its own."""
        return {name: text for name, text in self.messages.items() if page_of(name) == page}

    def _read_form(self) -> None:
        self.form.scheduler = self.facts.scheduler if self.facts else ""
        self.form.facts = self.facts
        self.placed = self.form.placed
        self.form.machine = build_host_machine(self.placed) if self.placed else HostMachine()
        result = self.form.to_spec()
        self.spec = result if isinstance(result, RunSpec) else None
        self.messages = {} if isinstance(result, RunSpec) else result
        mended = result if isinstance(result, RunSpec) else self.form.corrected(result).to_spec()
        self.corrected = mended if isinstance(mended, RunSpec) else None
        self.ahead = adapt_to_host(self.corrected, self.placed) if self.corrected is not None else None

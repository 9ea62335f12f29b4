"""Step 1: which host, and what it says about itself when asked."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.core_process import Runner
from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import link, secondary
from app.widgets.card import Card
from app.widgets.flow import Flow
from app.widgets.message_bar import MessageBar
from app.widgets.text import label, tip
from app.wizard.facts_card import FactsCard
from app.wizard.field import Field
from app.wizard.guest_choice import GuestChoice
from app.wizard.host_entry import HostEntry
from app.wizard.host_kinds import Kind, kinds, meaning
from app.wizard.host_text import parts_of, shortened
from app.wizard.page import Page
from app.wizard.question import Question
from app.wizard.reading import PLACE
from app.wizard.state import WizardState
from scheduler.errors import SchedulerError
from scheduler.model.probe import Probe
from scheduler.model.urls import shown

_PROBE_S = 180.0  # XAPI may hold a login back for 120 s; whatever else takes long has a limit of its own
_HERE = "local:"


class HostPage(Page):
    """URL, recent hosts, test; the answer appears in place and nothing waits for it."""

    def __init__(self, theme: Theme, state: WizardState, settings: Settings, runner: Runner) -> None:
        super().__init__("host", theme, state, self.tr("Which host?"), self.tr("Testing a host changes nothing on it."))
        self._settings = settings
        self._probe: Question[Probe] = Question(runner, Probe, _PROBE_S, self)
        self._asked = ""
        self._busy_host = ""
        self.url = Field(self.tr("Host UR&L"))
        self.url.edit.setPlaceholderText(_HERE)
        self.fields["host"] = self.url
        self.test = secondary(theme, self.tr("&Test"), "refresh")
        self.url.row.addWidget(self.test)
        self._reading = QHBoxLayout()
        self._reading.setSpacing(SPACE_S)
        self.meaning = label("", "dim", wrap=True)
        card = Card()
        card.body.addWidget(self._kinds())
        card.body.addWidget(self.url)
        card.body.addLayout(self._reading)
        card.body.addWidget(self.meaning)
        card.body.addWidget(self._recent())
        self.message = MessageBar(theme, closable=False)
        self.guests = GuestChoice(theme)
        self.facts = FactsCard(theme)
        for part in (card, self.message, self.guests, self.facts):
            self.body.addWidget(part)
        self.entry = HostEntry(theme, runner, self)
        self.entry.again.connect(self.ask)
        self.entry.failed.connect(self._fail)
        self.guests.chosen.connect(self._choose_guest)
        self.url.typed.connect(self._type)
        self.test.clicked.connect(self.ask)
        self._probe.began.connect(self._began)
        self._probe.answered.connect(self._learn)
        self._probe.failed.connect(self._fail)
        self._probe.ended.connect(self._ended)
        self.fill()

    def fill(self) -> None:
        """Show the form's host."""
        self.url.set_text(self.state.form.host)
        self._read_aloud()

    def refresh(self) -> None:
        """Show what is known about the host that is typed now."""
        super().refresh()
        known = self.state.facts
        self.facts.show_facts(known, busy=self._busy_host == self.state.form.host.strip())
        if known or self.state.form.host.strip() != self._asked:
            self.message.clear()
            self.guests.show_names(())
        self.test.setEnabled(self._probe.busy or "host" not in self.state.messages)

    def entered(self) -> None:
        """Look at this computer without being asked: that reaches nobody else."""
        if self.state.form.host.strip() == _HERE:
            self.ask_if_unknown()

    def take_focus(self) -> None:
        """Begin with the URL."""
        self.url.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def ask_if_unknown(self) -> None:
        """Test the host unless its answer is known or on its way."""
        url = self.state.form.host.strip()
        if self.state.facts is None and "host" not in self.state.messages and self._asked != url:
            self.ask()

    def ask(self) -> None:
        """Test the host that is typed now, or stop the test that runs."""
        if self._probe.busy:
            self._asked = ""
            self._probe.cancel()
            return
        self._asked = self.state.form.host.strip()
        form = self.state.form
        named = (("--io", form.io_domain.strip()), ("--guest", form.guest_domain.strip()))
        words = [word for option, name in named if name for word in (f"{option}={name}",)]
        self._probe.ask("probe", self._asked, "--json", *words)

    def _type(self, text: str) -> None:
        self.state.form.host = text
        if self._probe.busy:
            self._asked = ""
            self._probe.cancel()
        self.entry.close()
        self._read_aloud()
        self.state.touch()

    def _began(self) -> None:
        self.state.learn(self._asked, None)
        self.message.say("info", self.tr("Testing {url}\N{HORIZONTAL ELLIPSIS}").format(url=shown(self._asked)))
        self.test.setText(self.tr("S&top"))

    def _ended(self) -> None:
        self.test.setText(self.tr("&Test"))
        if not self._asked:
            self.message.clear()
        self.refresh()

    def show_answer(self, url: str, probe: Probe) -> None:
        """Show what a host at `url` answered."""
        self.url.set_text(url)
        self._type(url)
        self._asked = url
        self._learn(probe)

    def _learn(self, probe: Probe) -> None:
        self._busy_host = self._asked if probe.busy else ""
        self.state.learn(self._asked, probe.facts)
        if probe.facts is None:
            self.message.say("info" if probe.choices else "error", probe.error, "" if probe.choices else probe.hint)
            self.guests.show_names(probe.choices)
            self.entry.meet(self._asked, probe)
        else:
            self.guests.show_names(())
            self._settings.remember_host(self._asked)

    def _fail(self, error: SchedulerError) -> None:
        self.message.say_error(error)

    def _read_aloud(self) -> None:
        while (item := self._reading.takeAt(0)) is not None:
            if widget := item.widget():
                widget.deleteLater()
        for name, value in parts_of(self.state.form.host):
            self._reading.addWidget(label(name, "dim"))
            self._reading.addWidget(label(value, "strong"))
        self._reading.addStretch(1)

        self.meaning.setText(meaning(self.state.form.host))
        self.meaning.setVisible(bool(self.meaning.text()))

    def _choose_guest(self, name: str) -> None:
        self.state.form.guest_domain = name
        self.state.replace(self.state.form)  # the page of the domains shows it, too
        self.ask()

    def _kinds(self) -> QWidget:
        row = QWidget()
        box = Flow(row)
        for kind in kinds():
            button = link(self.theme, kind.name, kind.icon)
            button.setToolTip(kind.template)
            button.clicked.connect(lambda _, kind=kind: self._begin(kind))
            box.addWidget(button)
        return row

    def _begin(self, kind: Kind) -> None:
        """Start a URL of this kind; what has to be written over is selected."""
        self._use(kind.template)
        at = kind.template.find(PLACE)
        if at >= 0:
            self.url.edit.setSelection(at, len(PLACE))

    def _recent(self) -> QWidget:
        row = QWidget()
        box = QHBoxLayout(row)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        box.addWidget(label(self.tr("Used before"), "dim"))
        known = [url for url in self._settings.recent_hosts if url != _HERE][:4]
        if not known:
            row.hide()
        for url in known:
            button = secondary(self.theme, shortened(url), "host")
            button.setToolTip(tip(url))
            button.setAccessibleName(self.tr("Use {url}").format(url=shown(url)))
            button.clicked.connect(lambda _, url=url: self._use(url))
            box.addWidget(button)
        box.addStretch(1)
        return row

    def _use(self, url: str) -> None:
        self.url.set_text(url)
        self._type(url)
        self.url.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        if PLACE not in url:
            self.ask_if_unknown()

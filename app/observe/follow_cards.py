"""Cards of following: the request for consent, and the end."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from app.display_texts import format_duration, shorten_name, typeset_text
from app.observe.follow_texts import (
    account_words,
    agreement_words,
    as_sentence,
    audit_words,
    end_words,
    result_words,
    sum_words,
)
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.announcer import Announcer
from app.widgets.buttons import danger_button, primary_button, secondary_button
from app.widgets.card import Card
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import make_label, make_selectable, set_role, tooltip_text
from app.widgets.split_bar import SplitTag
from scheduler.model.observation_documents import FollowDone, FollowEnd, FollowStarted
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url
from scheduler.translation import _


class FollowEndCard(Card):
    """Card with the end of following; hidden until then.

    Args:
        theme: Colours.

    Signals:
        restore_wanted: The user wants to restore the host.
        again_wanted: The user wants to follow again.
    """

    restore_wanted = Signal()
    again_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.announcer = Announcer(self)
        self.headline = make_selectable(make_label("", "title", wrap=True))
        self.why = make_selectable(make_label("", wrap=True))
        self.host = make_selectable(make_label("", "strong", wrap=True))
        self.hint = make_selectable(make_label("", wrap=True))
        self.summed = make_label("", "dim", wrap=True)
        self.audit = make_selectable(make_label("", "dim", wrap=True))
        self.brought = make_selectable(make_label("", wrap=True))
        self.remarks = make_selectable(make_label("", wrap=True))
        self.restore_button = danger_button(theme, _("Restore now"), "restore")
        self.again_button = secondary_button(theme, _("Follow again"), "play")
        self.restore_button.clicked.connect(self.restore_wanted)
        self.again_button.clicked.connect(self.again_wanted)
        for part in (
            self.headline,
            self.why,
            self.host,
            self.hint,
            self.brought,
            self.audit,
            self.remarks,
            self.summed,
        ):
            self.body.addWidget(part)
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(self.again_button)
        row.addStretch(1)
        row.addWidget(self.restore_button)
        self.body.addLayout(row)
        self.hide()

    def show_done(self, began: FollowStarted, done: FollowDone) -> None:
        """Show the end of following.

        Args:
            began: First line of the process.
            done: Last line of the process.
        """
        result = result_words(began, done)
        self.headline.setText(result or end_words(done))
        why = "" if done.end in (FollowEnd.TIME, FollowEnd.USER) and not done.error else as_sentence(done.reason)
        if result:
            why = f"{end_words(done)} {why}".rstrip()
        brought = account_words(began, done.gains, over=True)
        if done.gains:
            words = _("Simulated: {gain}") if began.simulated else _("Measured: {gain}")
            brought = [words.format(gain=gain) for gain in brought]
        self.host.setText(self._host_words(done))
        set_role(self.host, "good" if done.restored else "danger")
        remarks = "\n".join(f"\N{BULLET} {as_sentence(remark)}" for remark in done.remarks)
        parts = (
            (self.why, why),
            (self.hint, typeset_text(done.hint)),
            (self.brought, "\n".join(brought) if done.t_s else ""),
            (self.audit, audit_words(done)),
            (self.remarks, remarks),
            (self.summed, sum_words(done)),
        )
        for part, words in parts:
            part.setText(words)
            part.setVisible(bool(words))
        self.restore_button.setVisible(not (done.restored or done.busy))
        self.setAccessibleName(f"{self.headline.text()} {self.host.text()}")
        self.show()
        self.announcer.say(self.accessibleName())

    def show_restored(self) -> None:
        """Show that no restore is pending any more.

        The host was restored since then, or the user dismissed the undo record.
        """
        self.host.setText(_("All settings have been restored since."))
        set_role(self.host, "good")
        self.hint.hide()
        self.restore_button.hide()

    def _host_words(self, done: FollowDone) -> str:
        if done.restored:
            return _("The original settings of both domains are restored and verified.")
        if done.busy:
            return _("Nothing was changed.")
        return _("Some settings were not restored.")


_LETTERS = 40


class AgreementCard(Card):
    """Card with the request for consent; hidden until there is a request.

    Args:
        theme: Colours.

    Signals:
        agreed: The user allows the changes.
        declined: The user does not allow the changes.
    """

    agreed = Signal()
    declined = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.headline = make_label("", "title", wrap=True)
        self.where = make_selectable(make_label("", "dim", wrap=True))
        self.low, self.high, self.found = (SplitTag(theme, None, "lead") for _ in range(3))
        self.words = make_selectable(make_label("", wrap=True))
        self.warnings = make_selectable(make_label("", "warn", wrap=True))
        self.check = QCheckBox()
        self.button = primary_button(theme, _("Start following"), "play")
        self.no = secondary_button(theme, _("Do not follow"))
        self.check.toggled.connect(self.button.setEnabled)
        self.button.clicked.connect(self.agreed)
        self.no.clicked.connect(self.declined)
        for part in (self.headline, self.where, self._splits(), self.words, self.warnings, self.check):
            self.body.addWidget(part)
        foot = QHBoxLayout()
        foot.setSpacing(SPACE_M)
        foot.addStretch(1)
        foot.addWidget(self.no)
        foot.addWidget(self.button)
        self.body.addLayout(foot)
        self.hide()

    def ask(self, began: FollowStarted) -> None:
        """Show the intended changes and ask for consent."""
        words = _("Follow this host for {time}?").format(time=format_duration(began.for_s))
        self.headline.setText(words)
        self.where.setText(f"{replace_controls(began.title)}\n{redact_url(began.host)}")
        self.low.set_split(began.range_low)
        self.high.set_split(began.range_high)
        self.found.set_split(began.split)
        self.words.setText("\n".join(f"\N{BULLET} {each}" for each in agreement_words(began)))
        self.warnings.setText(typeset_text("\n".join(began.warnings)))
        self.warnings.setVisible(bool(began.warnings))
        self.check.setText(
            _("DomTune may set any split from {low} to {high} on this host at any time").format(
                low=began.range_low.label, high=began.range_high.label
            )
        )
        self.check.setChecked(False)
        self.button.setEnabled(False)
        self.button.setToolTip(
            tooltip_text(_("Follow {host}").format(host=shorten_name(redact_url(began.host), _LETTERS)))
        )
        self.setAccessibleName(words)
        self.show()

    def _splits(self) -> QWidget:
        made = QWidget()
        row = FlowLayout(made)
        parts = (
            (_("Original:"), self.found),
            (_("Allowed:"), self.low),
            (_("to"), self.high),
        )
        for words, tag in parts:
            row.addWidget(make_label(words, "lead"))
            row.addWidget(tag)
            tag.setContentsMargins(0, 0, SPACE_M, 0)
        return made

"""End of following: reason, state of the host, next step, and measured gain."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout

from app.display_texts import typeset_text
from app.observe.follow_texts import account_words, as_sentence, audit_words, end_words, result_words, sum_words
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.announcer import Announcer
from app.widgets.buttons import danger_button, secondary_button
from app.widgets.card import Card
from app.widgets.labels import make_label, make_selectable, set_role
from scheduler.model.observation_documents import FollowDone, FollowEnd, FollowStarted


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
        self.restore_button = danger_button(theme, self.tr("Restore now"), "restore")
        self.again_button = secondary_button(theme, self.tr("Follow again"), "play")
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
            words = self.tr("Simulated: {gain}") if began.simulated else self.tr("Measured: {gain}")
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
        self.host.setText(self.tr("Since then nothing is left to be restored."))
        set_role(self.host, "good")
        self.hint.hide()
        self.restore_button.hide()

    def _host_words(self, done: FollowDone) -> str:
        if done.restored:
            return self.tr("The original settings of both domains are restored and verified.")
        if done.busy:
            return self.tr("Nothing was touched.")
        return self.tr("Some original settings are not restored.")

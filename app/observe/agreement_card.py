"""Consent before anything is written: allowed changes, and the end of following."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from app.display_texts import format_duration, shorten_name, typeset_text
from app.observe.follow_texts import agreement_words
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.buttons import primary_button, secondary_button
from app.widgets.card import Card
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import make_label, make_selectable, tooltip_text
from app.widgets.split_bar import SplitTag, parse_line_split
from scheduler.model.observation_documents import FollowStarted
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url

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
        self.button = primary_button(theme, self.tr("Follow it"), "play")
        self.no = secondary_button(theme, self.tr("Do not follow"))
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
        words = self.tr("Follow this host for {time}?").format(time=format_duration(began.for_s))
        self.headline.setText(words)
        self.where.setText(f"{replace_controls(began.title)}\n{redact_url(began.host)}")
        self.low.set_split(parse_line_split(began.range_low))
        self.high.set_split(parse_line_split(began.range_high))
        self.found.set_split(parse_line_split(began.found))
        self.words.setText("\n".join(f"\N{BULLET} {each}" for each in agreement_words(began)))
        self.warnings.setText(typeset_text("\n".join(began.warnings)))
        self.warnings.setVisible(bool(began.warnings))
        self.check.setText(
            self.tr("Any split from {low} to {high} may be set there at any time").format(
                low=began.range_low, high=began.range_high
            )
        )
        self.check.setChecked(False)
        self.button.setEnabled(False)
        self.button.setToolTip(
            tooltip_text(self.tr("Follow {host}").format(host=shorten_name(redact_url(began.host), _LETTERS)))
        )
        self.setAccessibleName(words)
        self.show()

    def _splits(self) -> QWidget:
        made = QWidget()
        row = FlowLayout(made)
        parts = (
            (self.tr("Found:"), self.found),
            (self.tr("May be set:"), self.low),
            (self.tr("to"), self.high),
        )
        for words, tag in parts:
            row.addWidget(make_label(words, "lead"))
            row.addWidget(tag)
            tag.setContentsMargins(0, 0, SPACE_M, 0)
        return made

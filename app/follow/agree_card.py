"""What a person agrees to before anything is written: in words what may be set, and how it ends."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from app.follow.words import agreement_words
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.buttons import primary, secondary
from app.widgets.card import Card
from app.widgets.flow import Flow
from app.widgets.split_bar import SplitTag
from app.widgets.text import label, selectable, tip
from app.words import duration, shortened, typeset
from scheduler.model.following import FollowBegan
from scheduler.model.plain import plain
from scheduler.model.urls import shown

_LETTERS = 40


class AgreeCard(Card):
    """Hidden until there is something to agree to.

    Args:
        theme: Colours.

    Signals:
        agreed: The splits may be set.
        declined: They may not.
    """

    agreed = Signal()
    declined = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.headline = label("", "title", wrap=True)
        self.where = selectable(label("", "dim", wrap=True))
        self.low, self.high, self.found = (SplitTag(theme, "", "lead") for _ in range(3))
        self.words = selectable(label("", wrap=True))
        self.warnings = selectable(label("", "warn", wrap=True))
        self.check = QCheckBox()
        self.button = primary(theme, self.tr("Follow it"), "play")
        self.no = secondary(theme, self.tr("Do not follow"))
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

    def ask(self, began: FollowBegan) -> None:
        """Say what would be done; nothing of it is agreed to yet."""
        words = self.tr("Follow this host for {time}?").format(time=duration(began.for_s))
        self.headline.setText(words)
        self.where.setText(f"{plain(began.title)}\n{shown(began.host)}")
        self.low.set_split(began.range_low)
        self.high.set_split(began.range_high)
        self.found.set_split(began.found)
        self.words.setText("\n".join(f"\N{BULLET} {each}" for each in agreement_words(began)))
        self.warnings.setText(typeset("\n".join(began.warnings)))
        self.warnings.setVisible(bool(began.warnings))
        self.check.setText(
            self.tr("Any split from {low} to {high} may be set there at any time").format(
                low=began.range_low, high=began.range_high
            )
        )
        self.check.setChecked(False)
        self.button.setEnabled(False)
        self.button.setToolTip(tip(self.tr("Follow {host}").format(host=shortened(shown(began.host), _LETTERS))))
        self.setAccessibleName(words)
        self.show()

    def _splits(self) -> QWidget:
        made = QWidget()
        row = Flow(made)
        parts = (
            (self.tr("Found:"), self.found),
            (self.tr("May be set:"), self.low),
            (self.tr("to"), self.high),
        )
        for words, tag in parts:
            row.addWidget(label(words, "lead"))
            row.addWidget(tag)
            tag.setContentsMargins(0, 0, SPACE_M, 0)
        return made

"""What happened, a row each: every move with its reason, and what kept it from moving for long."""

from PySide6.QtCore import QCoreApplication

from app.follow.follow_texts import as_sentence, observed_gain_words
from app.live.time_axis import time_text
from app.widgets.table import TableData
from scheduler.model.follow_documents import FollowAudit, FollowHold, FollowLine, FollowMove, FollowWindow

LONG_S = 300.0  # a hold of that length has a row of its own
_MOST = 500  # rows: what was longer ago shows in the plot and its table


def _tr(text: str) -> str:
    return QCoreApplication.translate("history", text)


class MoveHistory:
    """Collects rows, the newest first.

    Attributes:
        changes: How often rows came, or one was added to.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._rows: list[tuple[str, str, str]] = []
        self._moved: dict[float, int] = {}  # when, to its row
        self._hold: FollowHold | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, told: FollowLine) -> None:
        """Remember what makes a row."""
        match told:
            case FollowMove():
                self._hold, self._moved[told.t_s] = None, len(self._rows)
                self._append_row((time_text(told.t_s), f"{told.before} \N{RIGHTWARDS ARROW} {told.after}", told.text))
            case FollowAudit() if told.moved_s in self._moved:
                row = self._moved[told.moved_s]
                when, what, why = self._rows[row]
                self._rows[row] = (when, what, f"{why} {observed_gain_words(told)}")
                self.changes += 1
            case FollowHold():
                self._hold = None if told.reason == "turn" else told
            case FollowWindow() if self._hold is not None and told.t_s - self._hold.t_s >= LONG_S:
                self._append_row((time_text(self._hold.t_s), _tr("no move since"), self._hold.text))
                self._hold = None
            case _:
                pass

    def _append_row(self, row: tuple[str, str, str]) -> None:
        self._rows.append(row)
        self.changes += 1

    def table(self) -> TableData:
        """Return the latest rows."""
        rows = [(when, what, as_sentence(why)) for when, what, why in reversed(self._rows[-_MOST:])]
        return TableData((_tr("After"), _tr("What"), _tr("Why")), rows)

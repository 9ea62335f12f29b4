"""What happened, a row each: every move with its reason, and what kept it from moving for long."""

from PySide6.QtCore import QCoreApplication

from app.follow.words import sentence
from app.live.time_axis import time_text
from app.widgets.table import Table
from scheduler.model.following import FollowHold, FollowLine, FollowMove, FollowWindow

LONG_S = 300.0  # a hold of that length has a row of its own
_MOST = 500  # rows: what was longer ago shows in the plot and its table


def _tr(text: str) -> str:
    return QCoreApplication.translate("history", text)


class History:
    """Collects rows, the newest first."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, str]] = []
        self._hold: FollowHold | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, told: FollowLine) -> None:
        """Remember what makes a row."""
        match told:
            case FollowMove():
                self._hold = None
                self._rows.append((time_text(told.t_s), f"{told.before} \N{RIGHTWARDS ARROW} {told.after}", told.text))
            case FollowHold():
                self._hold = None if told.reason == "turn" else told
            case FollowWindow() if self._hold is not None and told.t_s - self._hold.t_s >= LONG_S:
                self._rows.append((time_text(self._hold.t_s), _tr("no move since"), self._hold.text))
                self._hold = None
            case _:
                pass

    def table(self) -> Table:
        """Return the latest rows."""
        rows = [(when, what, sentence(why)) for when, what, why in reversed(self._rows[-_MOST:])]
        return Table((_tr("After"), _tr("What"), _tr("Why")), rows)

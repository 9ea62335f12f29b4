"""Sliders for the weights of three or more loads."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.display_texts import format_percent
from app.load_texts import load_name
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.inputs import StillSlider
from app.widgets.labels import make_label, set_role
from app.widgets.series_style import load_style
from scheduler.translation import _

_STEPS = 100
_ONE_COLUMN = 3  # more sliders use two columns if the width allows: the plot above gets the height
_SLIDER_PX = 120  # approximate width for steps of one hundredth


class WeightSliders(QWidget):
    """One slider per load.

    Signals:
        moved: A slider moved, by the user or by `show_weights`.

    Args:
        theme: Colours.
        parent: Qt's parent.

    Attributes:
        sliders: Load kind to its slider.
    """

    moved = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words: dict[str, QLabel] = {}
        self.sliders: dict[str, StillSlider] = {}
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_M)
        self._grid.setVerticalSpacing(0)

    @property
    def weights(self) -> dict[str, float]:
        """Load kind to weight, summing to 1; equal weights if every slider is at 0."""
        values = {kind: slider.value() for kind, slider in self.sliders.items()}
        total = sum(values.values())
        return {kind: value / total if total else 1 / len(values) for kind, value in values.items()}

    def show_weights(self, weights: Mapping[str, float]) -> None:
        """Set the sliders to weights; the highest weight is at the slider's end."""
        if list(self.sliders) != list(weights):
            self._make_sliders(list(weights))
        for kind, step in _steps_of(weights).items():
            self.sliders[kind].setValue(step)
        self.say()

    def shows(self, weights: Mapping[str, float]) -> bool:
        """Return True while every slider is where `show_weights` sets it."""
        return {kind: slider.value() for kind, slider in self.sliders.items()} == _steps_of(weights)

    def say(self) -> None:
        """Show each load's weight in percent."""
        for kind, part in self.weights.items():
            words = self._words[kind]
            set_role(words, load_style(kind, self._theme.palette).role)
            words.ensurePolished()  # the font must be known before the text is measured
            words.setText(f"{load_name(kind)} {format_percent(part)}")
            words.setMinimumWidth(words.fontMetrics().horizontalAdvance(f"{load_name(kind)} 100 %") + 4)
        self._arrange_grid()

    def _make_sliders(self, kinds: list[str]) -> None:
        for part in (*self._words.values(), *self.sliders.values()):
            self._grid.removeWidget(part)
            part.deleteLater()
        self._words, self.sliders = {}, {}
        for kind in kinds:
            slider = StillSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, _STEPS)
            slider.setPageStep(10)
            slider.setAccessibleName(_("Weight of {load}").format(load=load_name(kind)))
            self._words[kind], self.sliders[kind] = make_label("", "strong"), slider
            slider.valueChanged.connect(self.moved)
        self._columns = 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the sliders in one column or two."""
        super().resizeEvent(event)
        self._arrange_grid()

    def _arrange_grid(self) -> None:
        words_px = max((words.minimumWidth() for words in self._words.values()), default=0)
        room = self.width() >= 2 * (words_px + _SLIDER_PX) + 3 * SPACE_M
        columns = 2 if len(self.sliders) > _ONE_COLUMN and room else 1
        if columns == self._columns:
            return
        self._columns = columns
        for column in range(2):
            self._grid.setColumnStretch(2 * column + 1, int(column < columns))
        for place, (kind, slider) in enumerate(self.sliders.items()):
            row, column = divmod(place, columns)
            self._grid.addWidget(self._words[kind], row, 2 * column)
            self._grid.addWidget(slider, row, 2 * column + 1)


def _steps_of(weights: Mapping[str, float]) -> dict[str, int]:
    highest = max(weights.values(), default=1.0)
    return {kind: round(_STEPS * weight / highest) for kind, weight in weights.items()}

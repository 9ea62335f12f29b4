"""Bar for the weights of loads: one slider for two loads, else one per load."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.display_texts import format_percent
from app.load_texts import load_name
from app.pages.weight_sliders import WeightSliders
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import link_button
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.inputs import StillSlider
from app.widgets.labels import make_label, set_role
from app.widgets.series_style import load_style
from scheduler.model.spec import RunSpec
from scheduler.translation import _

_STEPS = 100


class WeightsBar(QWidget):
    """Bar for the weights of a sweep's loads.

    Signals:
        changed: Load kind to weight; at most once per turn of the event loop.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    changed = Signal(dict)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kinds: tuple[str, ...] = ()
        self._planned: dict[str, float] = {}
        self._first = make_label("", "strong")
        self._second = make_label("", "strong")
        self.slider = StillSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _STEPS)
        self.slider.setPageStep(10)
        self.slider.setTickInterval(_STEPS // 2)
        self.slider.setAccessibleName(_("Weights of the loads"))
        self.reset = link_button(theme, _("As planned"), "undo")
        self.each = WeightSliders(theme)
        set_glossary_tip(self.slider, "objective")
        set_glossary_tip(self.each, "objective")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_S)
        row.addWidget(make_label(_("Weights"), "dim"))
        row.addWidget(self._first)
        row.addWidget(self.slider, 1)
        row.addWidget(self._second)
        row.addWidget(self.each, 1)
        row.addWidget(self.reset)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(lambda: self.changed.emit(self.weights))
        self.slider.valueChanged.connect(self._handle_move)
        self.each.moved.connect(self._handle_move)
        self.reset.clicked.connect(self._as_planned)
        theme.changed.connect(self._show_weights)

    @property
    def weights(self) -> dict[str, float]:
        """Load kind to weight, summing to 1; empty for fewer than two loads."""
        if len(self._kinds) < 2:
            return {}
        if self._is_as_planned:  # exact: a slider rounds to whole steps
            return self._planned
        if len(self._kinds) > 2:
            return self.each.weights
        second = self.slider.value()
        return {self._kinds[0]: (_STEPS - second) / _STEPS, self._kinds[1]: second / _STEPS}

    def set_sweep(self, spec: RunSpec) -> None:
        """Set the sliders to a plan's weights.

        The bar is hidden unless the plan has several loads and weighs them.
        """
        self._kinds = (
            tuple(load.name for load in spec.loads) if spec.objective.weighs and spec.kind.recommends_split else ()
        )
        self._planned = {kind: spec.weight_of(kind) for kind in self._kinds}
        self.setVisible(len(self._kinds) > 1)
        for part in (self._first, self.slider, self._second):
            part.setVisible(len(self._kinds) == 2)
        self.each.setVisible(len(self._kinds) > 2)
        for part in (self.slider, self.each):
            part.blockSignals(True)
        self._as_planned()
        for part in (self.slider, self.each):
            part.blockSignals(False)
        self._show_weights()

    def _as_planned(self) -> None:
        if len(self._kinds) == 2:
            self.slider.setValue(self._planned_step)
        elif len(self._kinds) > 2:
            self.each.show_weights(self._planned)

    @property
    def _is_as_planned(self) -> bool:
        if len(self._kinds) > 2:
            return self.each.shows(self._planned)
        return self.slider.value() == self._planned_step

    @property
    def _planned_step(self) -> int:
        return round(_STEPS * self._planned[self._kinds[1]])

    def _handle_move(self) -> None:
        self._show_weights()
        if not self._soon.isActive():
            self._soon.start(0)

    def _show_weights(self) -> None:
        if len(self._kinds) > 2:
            self.each.say()
        if len(self._kinds) > 1:
            self.reset.setEnabled(not self._is_as_planned)
        if len(self._kinds) != 2:
            return
        for words, kind in zip((self._first, self._second), self._kinds, strict=True):
            set_role(words, load_style(kind, self._theme.palette).role)
            words.ensurePolished()  # the font must be known before the text is measured
            words.setText(f"{load_name(kind)} {format_percent(self.weights[kind])}")
            words.setMinimumWidth(words.fontMetrics().horizontalAdvance(f"{load_name(kind)} 100 %") + 1)

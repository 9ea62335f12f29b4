"""Throughput per split: the main plot of the live page and the result page."""

from collections.abc import Mapping, Sequence

import pyqtgraph as pg
from PySide6.QtGui import QColor

from app.load_texts import is_mixed, unit_of
from app.plots.axis_positions import OnAxis, add_found_settings, axis_bounds, axis_position, place_settings
from app.plots.curves import Curve, curves_of, entry_of, place_names, shifts_of
from app.plots.hover_plot import HoverPlot
from app.plots.knee_bars import KneeBars
from app.plots.live_texts import model_words, point_words, predicted_points
from app.plots.load_items import LoadItems
from app.plots.model_items import ModelItems
from app.plots.per_user import per_user_points, per_user_words
from app.plots.plot_axes import RateAxis, SplitTickAxis
from app.plots.plot_legend import LegendEntry
from app.plots.pulse_ring import PulseRing
from app.plots.split_label import SplitLabel
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import load_style
from scheduler.model.load import LoadSpec
from scheduler.model.queueing import QueueModel
from scheduler.model.results import MeasuredPoint, SplitProposal
from scheduler.model.spec import RunSpec
from scheduler.model.studies import Setting
from scheduler.studies.capacity.declaration import KneeEstimate
from scheduler.translation import _

_HALF_FRAC = 0.017  # half the width of a band, as a fraction of the axis


class SplitBands:
    """Vertical bands behind splits; the band of the winner is stronger.

    Args:
        plot: Plot that gets the bands.
    """

    def __init__(self, plot: pg.PlotItem) -> None:
        self._plot = plot
        self.shown: list[pg.LinearRegionItem] = []

    def mark(self, places: Sequence[tuple[float, bool]], span: tuple[float, float], palette: Palette) -> None:
        """Place one band per position.

        Args:
            places: Position on the axis, and True for the winner.
            span: Range of the axis.
            palette: Current colours.
        """
        half = _HALF_FRAC * (span[1] - span[0])
        self._provide_bands(len(places))
        for band, (place, winner) in zip(self.shown, places, strict=True):
            band.setRegion((place - half, place + half))
            band.setProperty("winner", winner)
        self.restyle(palette)

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        for band in self.shown:
            tint = QColor(palette.accent)
            tint.setAlphaF(0.22 if band.property("winner") else 0.10)
            band.setBrush(tint)

    def _provide_bands(self, count: int) -> None:
        """Adjust the number of bands.

        Existing bands are reused, because creating a band costs as much as the ranking.
        """
        while len(self.shown) > count:
            self._plot.removeItem(self.shown.pop())
        while len(self.shown) < count:
            band = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
            band.setZValue(-20)
            self._plot.addItem(band, ignoreBounds=True)
            self.shown.append(band)


_NEAR_PX = 18
_NAMES_FRAC = 0.05
_ROOM = 1.12  # minimum upper end of the axis, times the highest value
_MOST_MODEL = 1.3  # maximum height of a model, times the highest measured value


class SplitThroughputPlot(HoverPlot):
    """Plot of throughput per split with 95 % whiskers and a dashed baseline per load.

    The plot also marks the current trial and the winner.

    Args:
        theme: Colours and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        self._axis = SplitTickAxis(theme)
        self._loads: list[LoadItems] = []
        self._relative = False  # True if the loads have different units
        self._settings: Sequence[OnAxis] = ()
        self._sides = self._baseline = False
        self._points: Mapping[tuple[str, str], MeasuredPoint] = {}
        self._models: Sequence[QueueModel] = ()
        self._model_wanted = False
        self._knees: tuple[KneeEstimate, ...] = ()
        self._each = False
        self._has_cuts = False
        self._units: Mapping[str, str] = {}
        self._sweep_loads: tuple[LoadSpec, ...] = ()
        self.proposal: SplitProposal | None = None
        self._marked: tuple[Setting | None, tuple[Setting, ...], str] | None = None
        self._rates = RateAxis()
        super().__init__(theme, "", {"bottom": self._axis, "left": self._rates})
        self.setAccessibleName(_("Throughput per split"))
        self._name_rates()
        self.canvas.setLabel("bottom", _("Split, I/O domain : guest"))
        self.model = ModelItems(self.canvas)
        self.lanes = KneeBars(self.canvas, theme)
        self.bands = SplitBands(self.canvas)
        self._pulse = PulseRing(self.canvas, theme, self)
        self.crown = SplitLabel(self.canvas)
        self._shape, self._top = (0.0, 0.0), 1.0
        self.view.sigResized.connect(lambda _: self._place_names())
        self.view.sigResized.connect(lambda _: self._keep_words_whole())
        self.restyle(theme.palette)

    @property
    def shown(self) -> dict[tuple[str, str], MeasuredPoint]:
        """The drawn points by (label, load kind)."""
        return {(point.label, point.load): point for load in self._loads for _, point in load.shown}

    @property
    def _has_baselines(self) -> bool:
        """False if the original settings are one of the settings or are not measured."""
        return self._baseline and all(load.held is None for load in self._loads) and not self._sides

    def prepare(self, spec: RunSpec) -> None:
        """Prepare the axis and the loads of a sweep; `set_points` adds the points."""
        self._settings = place_settings(spec.settings)
        self._sides, self._baseline = spec.kind.compares_sides or spec.kind.varies_vcpus, spec.baseline
        self.proposal = None
        self._relative = is_mixed(spec.units, spec.units)
        curves = curves_of(spec)
        self._provide_loads(curves, shifts_of(len(curves), self._settings, self._axis_range()))
        self._units, self._sweep_loads = spec.units, spec.loads
        self._name_rates()
        self.canvas.setLabel("bottom", spec.kind.axis)
        self._axis.set_settings(self._settings)
        self.canvas.setXRange(*self._axis_range(), padding=0)
        self.hide_now()
        self._marked = None
        self.mark(None)
        self.set_model(())
        self._fit_scale(1.0)
        self.set_knees(())

    def _name_rates(self) -> None:
        words = _("Per user ({unit})") if self._each else _("Throughput ({unit})")
        words = words.format(unit=unit_of(self._units, self._units))
        self.canvas.setLabel("left", _("% of each load's best") if self._relative else words)

    def _provide_loads(self, curves: Sequence[Curve], shifts: Sequence[float]) -> None:
        """Create the curves, or clear matching curves.

        Creating curves takes most of a frame's time.
        """
        if [(load.kind, load.held) for load in self._loads] == list(curves):
            for load, shift in zip(self._loads, shifts, strict=True):
                load.shift = shift
                load.set_points((), {}, relative=self._relative)
                load.set_prediction(())
            return
        for load in self._loads:
            load.remove_from(self.canvas)
        self._loads = []
        for (kind, held), shift in zip(curves, shifts, strict=True):
            load = LoadItems(self.canvas, self.theme, kind, shift, held)
            load.set_points((), {}, relative=self._relative)
            load.restyle(self.theme.palette)
            self._loads.append(load)

    def want_model(self, wanted: bool) -> None:  # noqa: FBT001 - a slot
        """Show or hide the queueing model under the points."""
        self._model_wanted = wanted
        self._draw_model()
        self.set_points(self._points)

    def set_model(self, models: Sequence[QueueModel]) -> None:
        """Set the queueing models for the next points; `want_model` shows them."""
        self._models = models
        self._draw_model()

    def _draw_model(self) -> None:
        models = self._models if self._model_wanted else ()
        modelled = (point.setting for model in models for point in model.points)
        self.model.set_models(models, add_found_settings(self._settings, modelled), self._loads, self.theme.palette)
        super().restyle(self.theme.palette)  # updates the legend

    def set_points(self, points: Mapping[tuple[str, str], MeasuredPoint]) -> None:
        """Show measured points by (label, load kind); add unplanned splits to the axis."""
        self._points = points
        points = per_user_points(points) if self._each else points
        settings = add_found_settings(self._settings, (point.setting for point in points.values()))
        if len(settings) > len(self._settings):
            self._settings = settings
            self._axis.set_settings(settings)
        for load in self._loads:
            load.set_points(settings, points, relative=self._relative)
        if self._relative:  # a new best rate moves all relative positions
            self._draw_model()
            self._show_prediction()
        top = max((load.top() for load in self._loads), default=0.0)
        self._top = max(1.0, top, min(self.model.top, _MOST_MODEL * top))
        cuts = any(load.has_cut_whiskers for load in self._loads)
        if cuts != self._has_cuts:
            self._has_cuts = cuts
            self.show_legend(self.theme.palette)
        self._place_names()

    def set_knees(self, knees: Sequence[KneeEstimate]) -> None:
        """Show the knees above the curves: the users at which a split saturates."""
        self._knees = tuple(knees)
        self._show_knees()

    def show_each(self, wanted: bool) -> None:  # noqa: FBT001 - a slot
        """Show throughput per user, or of all users together.

        Throughput per user has no knee bars, because a knee refers to all users together.
        """
        self._each = wanted
        self._name_rates()
        self.set_points(self._points)
        self._show_knees()

    def _show_knees(self) -> None:
        shown = () if self._each else self._knees
        if shown != self.lanes.knees:
            self.lanes.set_knees(shown)
            self._fit_scale(self._top)
            self.show_legend(self.theme.palette)

    def _place_names(self) -> None:
        self._fit_scale(self._top)
        place_names(self._loads, self._shape, self.view.viewPixelSize())

    def show_now(self, setting: Setting | None, load: str, tps: float, *, settling: bool) -> None:
        """Mark the current trial at its latest rate.

        Args:
            setting: Setting of the trial; None for the original settings, at the left edge.
            load: Kind of the load.
            tps: Latest rate.
            settling: True during the warm-up.
        """
        x = self._axis_range()[0] + 0.05 if setting is None else axis_position(setting, self._settings)
        items = next((items for items in self._loads if items.kind == load and items.has(setting)), None)
        x += 0.0 if items is None or setting is None else items.shift
        y = tps if items is None else items.at(tps)
        if y > self._shape[1]:
            self._fit_scale(y)
        self._pulse.show_at(x, y, load_style(load, self.theme.palette).colour, settling=settling)

    def hide_now(self) -> None:
        """Remove the mark of the current trial."""
        self._pulse.hide()

    def mark(self, winner: Setting | None, equivalent: Sequence[Setting] = (), words: str = "") -> None:
        """Mark the winning split and the equivalent splits.

        Args:
            winner: The winner; None for none.
            equivalent: Splits that are equally good.
            words: Text above the winner.
        """
        if self._marked == (winner, tuple(equivalent), words):
            return  # most moves of a slider change nothing
        self._marked = (winner, tuple(equivalent), words)
        labels, best = {each.label for each in equivalent}, winner.label if winner else ""
        chosen = [s for s in self._settings if s.label == best or s.label in labels]
        self.bands.mark([(s.position, s.label == best) for s in chosen], self._axis_range(), self.theme.palette)
        self._axis.highlight_labels([best])
        at = next((s.position for s in chosen if s.label == best), None)
        self.crown.setVisible(at is not None)
        if at is not None:
            self.crown.setText(words)
            self.crown.setPos(at, self._shape[1])
        self._place_names()
        self._keep_words_whole()

    def _keep_words_whole(self) -> None:
        self.crown.keep_whole(self._axis_range(), self.view.width())

    def propose(self, proposal: SplitProposal | None) -> bool:
        """Show the expected throughput of a proposed split as hollow marks.

        Args:
            proposal: Proposed split; None for none.

        Returns:
            False if the same marks are already shown.
        """
        points = predicted_points(proposal, self._sweep_loads)
        if points == predicted_points(self.proposal, self._sweep_loads):
            return False  # other weights change the gain, not the marks
        self.proposal = proposal
        self._show_prediction()
        self._axis.set_settings(add_found_settings(self._settings, (point.setting for point in points)))
        predicted_y = (load.at(point.mean_tps or 0.0) for load in self._loads for _, point in load.predictions)
        top = max(predicted_y, default=0.0)
        if top > self._top:
            self._fit_scale(top)
        self.show_legend(self.theme.palette)
        return True

    def _show_prediction(self) -> None:
        points = predicted_points(self.proposal, self._sweep_loads)
        for load in self._loads:
            load.set_prediction(points)

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the loads' marks, the baseline's dashes and the whiskers."""
        loads = [entry_of(load, palette) for load in self._loads]
        words = _("interpolated, not measured")
        predicted = [LegendEntry("o", palette.dim, words, filled=False)] if self.proposal else []
        return [
            *loads,
            *predicted,
            *self.model.legend(palette),
            *self.lanes.legend(palette),
            *([LegendEntry("dash", palette.dim, _("original settings"))] if self._has_baselines else []),
            LegendEntry("whisker", palette.dim, _("95 % interval over trials")),
            *([LegendEntry("t1", palette.dim, _("continues beyond the axis"))] if self._has_cuts else []),
        ]

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        for load in self._loads:
            load.restyle(palette)
        self.model.restyle(palette)
        self.lanes.restyle(palette)
        self.crown.restyle(palette, self.theme.font())
        self.bands.restyle(palette)

    def words_at(self, x: float, y: float) -> str:
        """Return the values of the nearest point.

        Args:
            x: Position on the lower axis.
            y: Position on the left axis.
        """
        wide, high = self.view.viewPixelSize()
        best, words = _NEAR_PX**2, ""
        for load in self._loads:
            for at, point in (*load.shown, *load.predictions):
                distance = ((at - x) / wide) ** 2 + ((load.at(point.mean_tps or 0.0) - y) / high) ** 2
                if distance < best:
                    modelled = self.model.points.get((point.label, point.load))
                    whole = self._points.get((point.label, point.load), point)
                    best, words = distance, point_words(whole) + per_user_words(whole) + model_words(point, modelled)
            level = load.at(load.baseline.mean_tps or 0.0) if load.baseline else 0.0
            if not words and load.baseline and abs(level - y) / high < _NEAR_PX / 3:
                words = point_words(load.baseline)
        return words

    def _axis_range(self) -> tuple[float, float]:
        """Return the range of the axis, with room for the baselines' names at the right."""
        low, high = axis_bounds(self._settings)
        return low, high + _NAMES_FRAC * (high - low)

    def _fit_scale(self, top: float) -> None:
        _, right = self._axis_range()
        room_px = max(1.0, self.view.height())
        lanes_frac = self.lanes.height_px(room_px) / room_px
        words_frac = lanes_frac + self.crown.height_px(room_px) / room_px
        self._top, self._shape = top, (right, max(top * _ROOM / (1 - lanes_frac), top / (1 - words_frac)))
        self._rates.most = top * _ROOM
        self.canvas.setYRange(0.0, self._shape[1], padding=0)
        self.crown.setY(self._shape[1])
        self.settle()
        low, high = axis_bounds(self._settings)
        self.lanes.place((low, high), self._shape[1], self.view.viewPixelSize(), room_px)

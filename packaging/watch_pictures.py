"""Pictures of the watch page, registered on import."""

from typing import TYPE_CHECKING

from picture_stage import Stage, page

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.observe.observe_page import ObservePage

DAY = "sim:?load=osdb-ir,osdb-oltp&turn_s=3600&split=1:2&scheduler=rtds"
CPUS = "sim:?cpus=8&io_vcpus=4&guest_vcpus=8&load=osdb-ir,osdb-oltp&users=32&split=1:3&turn_s=900"
_WINDOWS = 900  # windows of ten seconds: two and a half hours


@page("watch")
def _watch(stage: Stage) -> "QWidget":
    _asking(stage)
    return stage.window


@page("watch-running")
def _running(stage: Stage) -> "QWidget":
    watch = _asking(stage, DAY, "7d")
    watch.ask.button.click()
    stage.wait(lambda: len(watch.pictures.use.windows) >= _WINDOWS)
    watch.observer.close()
    return stage.window


@page("watch-cpus")
def _several_cpus(stage: Stage) -> "QWidget":
    """Show a watched host whose domains share eight CPUs."""
    watch = _asking(stage, CPUS, "1h")
    watch.ask.button.click()
    stage.wait(watch.card.isVisible)
    return stage.window


@page("watch-answered")
def _answered(stage: Stage) -> "QWidget":
    from app.observe.observation_request import WATCH_EXAMPLE_URL

    watch = _asking(stage, WATCH_EXAMPLE_URL, "5m")
    watch.ask.button.click()
    stage.wait(watch.card.isVisible)
    return stage.window


@page("watch-counted")
def _counted(stage: Stage) -> "QWidget":
    """Show a host with a counted database; all figures are invented."""
    from math import sin

    from scheduler.model.observation_documents import ObservationStarted, ObservationWindow
    from scheduler.model.split import Mode, parse_split

    watch = _asking(stage, "local:", "8h")
    watch.observer.looking.emit()
    half = parse_split("1:1")
    fields = {"host": "local:", "host_id": "this", "title": "This computer", "simulated": False, "mode": Mode.CAPS}
    watch.observer.began.emit(ObservationStarted(**fields, split=half, cpus=1, for_s=28_800.0, database=True))
    allowed = {"io_allowed_cpus": 0.5, "guest_allowed_cpus": 0.5}
    for place in range(_WINDOWS):
        wave = 1 + 0.2 * sin(place / 90) + 0.05 * sin(place * 12.9)
        use = {"io_cpus": 0.2 * wave, "guest_cpus": 0.4 * wave, "rate_tps": None if 300 < place < 330 else 900 * wave}
        watch.observer.line_received.emit(ObservationWindow(t_s=10.0 * (place + 1), split=half, **use, **allowed))
    watch.pictures.draw()
    return stage.window


@page("watch-named")
def _named(stage: Stage) -> "QWidget":
    """Show an invented answer of a real host, with all its actions."""
    from scheduler.model.command_answers import ParameterChange
    from scheduler.model.decision import DecisionKind
    from scheduler.model.host_properties import HostProperties
    from scheduler.model.observation_documents import WatchOutlook, WatchResult
    from scheduler.model.scheduler_params import CgroupParams
    from scheduler.model.split import parse_split

    _counted(stage)
    watch = stage.window.observe.page
    quotas = {"io": 33_333, "guest": 66_667}
    facts = HostProperties("this", "local:", "This computer", "cgroup-v2", 2, (0,), (), (), {})
    words = "Set 1:2: 12 % more than what was set gives (estimate). Following would gain 0.4 % more."
    fields = {
        "host": "local:",
        "title": "This computer",
        "mode": "caps",
        "present": parse_split("1:1"),
        "split": parse_split("1:2"),
    }
    pairs = quotas.items()
    changes = tuple(
        ParameterChange(domain=name, parameter="quota", before="50000 us", after=f"{us} us") for name, us in pairs
    )
    watch.observer.answered.emit(
        WatchResult(
            **fields,
            t_s=9000.0,
            windows=900,
            outlook=WatchOutlook.STATIC,
            decision=DecisionKind.CHANGE,
            headline=words,
            following_gain_frac=0.004,
            split_low=parse_split("1:2.3"),
            split_high=parse_split("1:1.8"),
            changes=changes,
            params={name: CgroupParams(100, us) for name, us in pairs},
            facts=facts,
            database_tps=912.0,
        )
    )
    return stage.window


def _asking(stage: Stage, url: str = "", span: str = "1h") -> "ObservePage":
    stage.window.observe.watch(url)
    watch = stage.window.observe.page
    watch.ask.span.set_value(span)
    return watch

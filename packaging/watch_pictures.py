"""Pictures of the page that watches a host; importing this registers them."""

from typing import TYPE_CHECKING

from picture_stage import Stage, page

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.watch.watch_page import WatchPage

DAY = "sim:?load=osdb-ir,osdb-oltp&turn_s=3600&split=1:2&scheduler=rtds"
_WINDOWS = 900  # of ten seconds: two and a half hours


@page("watch")
def _watch(stage: Stage) -> "QWidget":
    _asking(stage)
    return stage.window


@page("watch-running")
def _running(stage: Stage) -> "QWidget":
    watch = _asking(stage, DAY, "7d")
    watch.ask.button.click()
    stage.wait(lambda: len(watch.plot.windows) >= _WINDOWS)
    watch.watcher.close()
    return stage.window


@page("watch-answered")
def _answered(stage: Stage) -> "QWidget":
    from app.watch.asked import EXAMPLE

    watch = _asking(stage, EXAMPLE, "5m")
    watch.ask.button.click()
    stage.wait(watch.card.isVisible)
    return stage.window


def _asking(stage: Stage, url: str = "", span: str = "1h") -> "WatchPage":
    stage.window.watch.open(url)
    watch = stage.window.watch.page
    watch.making.finish()
    watch.ask.span.set_value(span)
    return watch

"""The page that follows, in all its states, under names as long as real ones."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from app.main_window import MainWindow
from app.observe.observation_request import ObservationRequest
from app.observe.observe_page import ObservePage
from scheduler.model.command_answers import HostProbe
from scheduler.model.observation_documents import FollowDone, FollowEnd, FollowPeriod
from tests.ui.fits_scenes import DATABASE, URL, Scene, facts_of
from tests.ui.observe.lines import began, gain, hold, move, window

WHY = "the host key of xen-production-01.rack-17.muenchen.example.invalid is another one than at the last sweep"
HINT = "Compare it at the console, then remove the old one with ssh-keygen -R and test the host again."
SAID = "The I/O domain used 97 % of what it may, the guest 58 %. A transaction costs it 0.9 of what it costs the guest."


class FollowScenes:
    """Brings them about on one window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def pages(self) -> Iterator[Scene]:
        """Yield name and maker of each."""
        yield "follow, refused", self._follow_refused
        yield "follow, asking", self._follow_asking
        yield "follow, running", self._follow_running
        yield "follow, ended", self._follow_ended

    def _follow_page(self) -> ObservePage:
        self._window.observe.open(ObservationRequest(URL, "", follows=True, static="1:3.9", database=DATABASE))
        page = self._window.observe.page
        assert page is not None
        page.observer.asked = ObservationRequest(
            URL, "7d", follows=True, guest=facts_of().domains[1].name, database=DATABASE
        )
        return page

    def _follow_refused(self) -> QWidget:
        page = self._follow_page()
        names = tuple(domain.name for domain in facts_of().domains)
        page.observer._handle_probe(HostProbe(error=WHY, hint=HINT, choices=names))
        for message in (page.ask.host.message, page.ask.range.message):
            message.say(HINT)
        return self._window

    def _follow_asking(self) -> QWidget:
        page = self._follow_page()
        page.observer.looking.emit()
        reported = {"host": URL, "title": facts_of().title, "simulated": True, "for_s": 7 * 86_400.0}
        page.observer.terms = began(**reported, warnings=(f"{WHY}.", f"{SAID}."))
        page.observer.asking.emit(page.observer.terms)
        return self._window

    def _follow_running(self) -> QWidget:
        self._follow_asking()
        page, windows = self._window.observe.page, 90
        page.pictures.begin(page.observer.terms)
        page.running.begin(page.observer.terms)
        page._show_only(page.running, page.seen)
        for place in range(windows):
            last = place == windows - 1
            rate = {"rate_tps": 1234.5 + 100 * (place % 5), "arm": ("following", "static")[place // 30 % 2]}
            page.observer.line_received.emit(window(10.0 * (place + 1), trouble=WHY if last else "", **rate))
            if place % 9 == 8:
                page.observer.line_received.emit(move(10.0 * (place + 1), "1:2", "1:1.2", text=SAID))
        page.observer.line_received.emit(hold(890.0, "blind", WHY))
        gains = tuple(gain(over=over) for over in ("static", "found"))
        page.observer.line_received.emit(
            FollowPeriod(t_s=900, began_s=0, arm="static", block=0, rate_tps=1.0, gains=gains)
        )
        page.pictures.draw()
        page.running.refresh()
        return self._window

    def _follow_ended(self) -> QWidget:
        self._follow_running()
        page = self._window.observe.page
        gains = tuple(gain(over=over) for over in ("static", "found"))
        reported = {"reason": WHY, "hint": HINT, "gains": gains, "remarks": (SAID, WHY), "error": WHY}
        page.observer.ended.emit(FollowDone(t_s=9e4, end=FollowEnd.HOST, restored=False, moves=38, **reported))
        return self._window

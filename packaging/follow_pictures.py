"""Pictures of the follow page, registered on import."""

from typing import TYPE_CHECKING

from picture_stage import Stage, page

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.observe.observe_page import ObservePage

_SEED = 3


@page("follow")
def _follow(stage: Stage) -> "QWidget":
    _asked(stage, "8h")
    return stage.window


@page("follow-ended")
def _ended(stage: Stage) -> "QWidget":
    _followed(stage, "2h")
    return stage.window


@page("follow-split")
def _split(stage: Stage) -> "QWidget":
    """Show hours of comparison periods with gaps in the target split.

    All dots of the plot must be whole.
    """
    _followed(stage, "4h")
    return stage.window


@page("follow-rate")
def _rate(stage: Stage) -> "QWidget":
    follow = _followed(stage, "2h")
    bar = follow.seen.verticalScrollBar()
    bar.setValue(follow.pictures.rate_frame.y())
    return stage.window


@page("home-followed")
def _home_followed(stage: Stage) -> "QWidget":
    """Show the home page with a followed host and an interrupted one."""
    from scheduler.model.command_answers import RestoreItem
    from scheduler.model.lock_owner import LockOwner

    stage.window.go("home")
    cards = stage.window.home.hosts.cards
    stage.wait(lambda: cards and all(card.dot.state != "unknown" for card in cards if card.looks))
    for card, state in zip(cards, ("running", "armed"), strict=False):
        reported = {"host": card.url, "host_id": card.host_id, "armed_unix_s": 1_795_000_000.0, "by": LockOwner.FOLLOW}
        item = RestoreItem(**reported, state=state)
        card.show_records((item,))
        if state == "armed":
            stage.window.banner.show_items((item,))
    return stage.window


@page("follow-agreeing")  # registered last, because it waits for an answer until the window closes
def _agreeing(stage: Stage) -> "QWidget":
    follow = _asked(stage, "8h")
    follow.ask.button.click()
    stage.wait(follow.agree.isVisible)
    return stage.window


def _followed(stage: Stage, span: str) -> "ObservePage":
    from dataclasses import replace

    follow = _asked(stage, span)
    follow.observer.start(replace(follow.ask.asked, seed=_SEED))
    stage.wait(follow.agree.isVisible)
    follow.agree.check.click()
    follow.agree.button.click()
    stage.wait(follow.end.isVisible)
    return follow


def _asked(stage: Stage, span: str) -> "ObservePage":
    from app.observe.observation_request import FOLLOW_EXAMPLE_URL, ObservationRequest

    stage.window.observe.open(ObservationRequest(FOLLOW_EXAMPLE_URL, span, follows=True))
    follow = stage.window.observe.page
    follow.ask.span.set_value(span)
    return follow

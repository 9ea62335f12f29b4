"""Pictures of the page that follows a load; importing this registers them."""

from typing import TYPE_CHECKING

from picture_stage import Stage, page

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.follow.follow_page import FollowPage

_SEED = 3


@page("follow")
def _follow(stage: Stage) -> "QWidget":
    _asked(stage, "8h")
    return stage.window


@page("follow-ended")
def _ended(stage: Stage) -> "QWidget":
    from dataclasses import replace

    follow = _asked(stage, "2h")
    follow.follower.start(replace(follow.ask.asked, seed=_SEED))
    stage.wait(follow.agree.isVisible)
    follow.agree.check.click()
    follow.agree.button.click()
    stage.wait(follow.end.isVisible)
    return stage.window


@page("follow-agreeing")  # the last: it waits for an answer until the window closes
def _agreeing(stage: Stage) -> "QWidget":
    follow = _asked(stage, "8h")
    follow.ask.button.click()
    stage.wait(follow.agree.isVisible)
    return stage.window


def _asked(stage: Stage, span: str) -> "FollowPage":
    from app.follow.asked import EXAMPLE, Asked

    stage.window.follow.open(Asked(EXAMPLE, span))
    follow = stage.window.follow.page
    follow.making.finish()
    follow.ask.span.set_value(span)
    return follow

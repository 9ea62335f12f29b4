"""What the live page's tests have in common."""

from app.pages.live_page import LivePage

LIMIT_MS = 40_000


def redrawn(page: LivePage) -> LivePage:
    """Draw what came in since the last time, without waiting for the timer."""
    page.redraw()
    return page

"""Make a page when it is first needed."""

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtWidgets import QWidget

Page = TypeVar("Page", bound=QWidget)


class LazyPage(Generic[Page]):
    """A page that is made, and whose modules are imported, when it is first needed.

    Args:
        make: Returns a page, connected and in its place.

    Attributes:
        page: None until it is needed, and after `drop`.
    """

    def __init__(self, make: Callable[[], Page]) -> None:
        self._make = make
        self.page: Page | None = None

    def provide(self) -> Page:
        """Return the page."""
        if self.page is None:
            self.page = self._make()
        return self.page

    def drop(self) -> Page | None:
        """Return the page for the last time; the next `provide` makes another."""
        page, self.page = self.page, None
        return page

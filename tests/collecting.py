"""Cyclic garbage is collected between tests and in their main thread alone, as the window does it
(`app.garbage_collector`).

Python collects in whichever thread happens to allocate. A test that leaves a page or a dialog in a cycle would have it
destroyed in the next test's worker thread, and there a widget's destruction ends the whole process now and then.
"""

import gc
from collections.abc import Generator

import pytest

from app.garbage_collector import collect_garbage


def pytest_configure() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """Five thousand tests and what they import stay until the end: no collection has to look through them."""
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    try:
        return (yield)
    finally:
        collect_garbage()

import threading

import pytest

from app.background import BackgroundWorker


@pytest.fixture
def background(qapp):
    made = BackgroundWorker()
    yield made
    made.close()


def test_work_is_done_elsewhere_and_answered_here(background: BackgroundWorker, qtbot):
    seen: list[object] = []
    background.submit(lambda _: threading.current_thread().name, seen.append, seen.append)
    qtbot.waitUntil(lambda: bool(seen), timeout=30_000)
    assert str(seen[0]).startswith("files")

    here: list[str] = []
    background.submit(lambda _: 1, lambda _: here.append(threading.current_thread().name), seen.append)
    qtbot.waitUntil(lambda: bool(here), timeout=30_000)
    assert here == [threading.main_thread().name]


def test_error_is_delivered_to_who_asked(background: BackgroundWorker, qtbot):
    failed: list[Exception] = []
    background.submit(lambda _: 1 // 0, lambda _: None, failed.append)
    qtbot.waitUntil(lambda: bool(failed), timeout=30_000)
    assert isinstance(failed[0], ZeroDivisionError)


def test_cancelled_job_reports_nothing_and_can_notice(background: BackgroundWorker, qtbot):
    answers: list[object] = []
    began, noticed = threading.Event(), threading.Event()

    def long(job) -> None:
        began.set()
        while not job.cancelled:
            began.wait(0.001)
        noticed.set()

    job = background.submit(long, answers.append, answers.append)
    never = background.submit(lambda _: answers.append("ran"), answers.append, answers.append)
    assert began.wait(5)
    never.cancel()
    job.cancel()
    assert noticed.wait(5)
    background.submit(lambda _: "last", answers.append, answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=30_000)
    assert answers == ["last"]


def test_work_runs_in_the_order_asked_for(background: BackgroundWorker, qtbot):
    answers: list[int] = []
    for number in range(20):
        background.submit(lambda _, number=number: number, answers.append, answers.append)
    qtbot.waitUntil(lambda: len(answers) == 20, timeout=30_000)
    assert answers == list(range(20))

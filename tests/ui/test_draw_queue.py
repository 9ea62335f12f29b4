"""Draw several parts one after another."""

from PySide6.QtCore import QObject

from app.widgets.draw_queue import DrawQueue


def test_draw_queue_draws_the_first_part_now_and_the_others_later(qtbot):
    parent, drawn = QObject(), []

    def draw_plot() -> None:
        drawn.append("plot")

    def draw_table() -> None:
        drawn.append("table")

    queue = DrawQueue(parent)
    queue.add(draw_plot, draw_table)
    assert drawn == ["plot"]
    queue.add(draw_table, draw_plot)
    assert drawn == ["plot"]
    qtbot.waitUntil(lambda: len(drawn) == 3)
    assert drawn == ["plot", "table", "plot"]


def test_draw_queue_that_is_cleared_draws_nothing_more(qtbot):
    parent, drawn = QObject(), []
    queue = DrawQueue(parent)
    queue.add(lambda: drawn.append(1), lambda: drawn.append(2))
    queue.clear()
    qtbot.wait(50)
    assert drawn == [1]

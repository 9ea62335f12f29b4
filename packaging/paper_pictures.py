"""Picture of a run next to a paper, registered on import."""

from typing import TYPE_CHECKING

from picture_stage import Stage, page

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


@page("result-beside")
def _result_beside(stage: Stage) -> "QWidget":
    """Show the unfolded card of a run with the paper's splits."""
    stage.window.show_result(stage.run_id)
    result = stage.window.result
    stage.wait(lambda: result.complete)
    stage.settle(500)
    result.papers.fold.setChecked(True)
    stage.settle(500)
    result.area.verticalScrollBar().setValue(result.papers.y() - 16)
    return stage.window

"""What the steps on the left say: which are done, which are wrong, and the answer of each."""

from collections.abc import Collection

from app.wizard.page_names import PAGES
from app.wizard.sentences import answer
from app.wizard.state import WizardState
from app.wizard.step_words import step_name
from app.wizard.steps import Mark, StepRail


def show_progress(rail: StepRail, state: WizardState, visited: Collection[int]) -> None:
    """Show every step as it stands; a step that was never seen has no answer yet."""
    for index, (key, step) in enumerate(zip(PAGES, rail.steps, strict=True)):
        wrong = state.messages_of(key)
        seen = index in visited and key != "review"
        step.setText(step_name(key, state.form.study))
        mark = Mark.WRONG if wrong else Mark.DONE if seen else Mark.AHEAD
        step.show_state(mark, _answer(state, key, wrong) if seen or wrong else "")


def _answer(state: WizardState, key: str, wrong: dict[str, str]) -> str:
    if wrong or state.ahead is None:
        return next(iter(wrong.values()), "")
    return answer(key, state.ahead, state.facts)

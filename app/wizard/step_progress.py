"""What the steps on the left say: which are done, which are wrong, and the answer of each."""

from collections.abc import Collection

from app.wizard.page_names import PAGES
from app.wizard.plan_texts import step_answer
from app.wizard.step_rail import StepMark, StepRail
from app.wizard.step_texts import step_name
from app.wizard.wizard_state import WizardState


def show_progress(rail: StepRail, state: WizardState, visited: Collection[int]) -> None:
    """Show every step as it stands; a step that was never seen has no answer yet."""
    for index, (key, step) in enumerate(zip(PAGES, rail.steps, strict=True)):
        wrong = state.messages_of(key)
        seen = index in visited and key != "review"
        step.setText(step_name(key, state.form.study))
        mark = StepMark.WRONG if wrong else StepMark.DONE if seen else StepMark.AHEAD
        step.show_state(mark, _answer_of_step(state, key, wrong) if seen or wrong else "")


def _answer_of_step(state: WizardState, key: str, wrong: dict[str, str]) -> str:
    if wrong or state.ahead is None:
        return next(iter(wrong.values()), "")
    return step_answer(key, state.ahead, state.facts)

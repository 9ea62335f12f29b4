"""Choice of the split that a run sets: that of its decision, or one by hand."""

from scheduler.model.results import Answer
from scheduler.model.studies import Setting
from scheduler.translation import _


def choose_split(answer: Answer, named: Setting | None, *, anyway: bool) -> Setting | None:
    """Return the split to set; None when the person has to name a split first.

    Args:
        answer: Answer of the run.
        named: Split that the person named; None for none.
        anyway: True to set the split of the decision although the decision does not ask for a change.
    """
    if named:
        return named
    return answer.decision.setting if anyway else answer.decision.ordered


def describe_refusal(answer: Answer, run_id: str) -> str:
    """Return why a run sets no split without a further confirmation.

    Args:
        answer: Answer of the run.
        run_id: Id of the run.
    """
    return _("run {run_id} advises no split").format(run_id=run_id) + (
        f": {answer.headline.rstrip('.')}" if answer.headline else ""
    )


def refusal_hint(answer: Answer) -> str:
    """Return the options that set a split against the decision."""
    name = _("Name a measured split with --split a:b")
    split = answer.decision.label
    return _("{name}, or add --anyway to take {split}.").format(name=name, split=split) if split else f"{name}."


def describe_manual_choice(answer: Answer, run_id: str, setting: Setting) -> str:
    """Return a sentence that a split differs from the decision; empty for the same.

    Args:
        answer: Answer of the run.
        run_id: Id of the run.
        setting: The split to set.
    """
    ordered = answer.decision.ordered
    if setting == ordered:
        return ""
    advised = (
        _("run {run_id} advises {label}").format(run_id=run_id, label=ordered.label)
        if ordered
        else _("run {run_id} advises no split").format(run_id=run_id)
    )
    return _("{label} was chosen by hand: {advised}.").format(label=setting.label, advised=advised)


def describe_advice(answer: Answer, run_id: str, setting: Setting) -> str:
    """Return the decision as text, after a sentence about a manual choice.

    Args:
        answer: Answer of the run.
        run_id: Id of the run.
        setting: The split to set.
    """
    return " ".join(filter(None, (describe_manual_choice(answer, run_id, setting), answer.headline)))

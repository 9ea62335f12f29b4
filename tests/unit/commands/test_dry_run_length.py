"""Duration of a sweep, as `run --dry-run` prints it."""

from scheduler.commands.dry_run import length_words
from scheduler.model.command_answers import DryRun


def test_length_words_with_a_usual_time_above_the_limit_omits_it() -> None:
    answer = DryRun(trials=2, adapts=True, usual_s=280.0, worst_s=284.0)
    assert length_words(answer) == "at least 2 trials, at most 4 min 44 s"

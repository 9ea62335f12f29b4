"""Commands that promise to touch nothing: every option next to `--dry-run` or `--list` keeps that promise."""

import argparse
import itertools

import pytest

from scheduler.commands.arguments import build_parser

READ_ONLY = ("--dry-run", "--list")
WITH_HOST = {"--stop", "--forget", "--only"}  # second modes that name a host
NOT_MODES = {"--json", "--quiet", "--help", *READ_ONLY}
HERE = {"run", "apply", "revert", "restore", "follow"}


def parsers() -> dict[str, argparse.ArgumentParser]:
    [words] = [each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction)]
    return words.choices


def flags_of(word: str) -> list[str]:
    """Return the options of a command that choose what it does: flags, and second modes that name a host."""
    return [
        option
        for action in parsers()[word]._actions
        for option in action.option_strings[-1:]
        if (action.nargs == 0 and option not in NOT_MODES) or option in WITH_HOST
    ]


def calls() -> list[tuple[str, ...]]:
    """Return each read-only option of each command with each set of its other flags."""
    found = []
    for word in sorted(HERE):
        offered = {option for action in parsers()[word]._actions for option in action.option_strings}
        for only in sorted(offered & set(READ_ONLY)):
            flags = flags_of(word)
            sets = itertools.chain.from_iterable(itertools.combinations(flags, n) for n in range(len(flags) + 1))
            found += [(word, only, *each) for each in sets if len(each) <= 2 or len(each) == len(flags)]
    return found


def everything(home) -> dict[str, bytes]:
    """Return the host and all that DomTune keeps, except locks, which are held only while a command runs."""
    files = [path for path in home.rglob("*") if path.is_file() and path.suffix not in {".lock", ".log"}]
    return {str(path.relative_to(home)): path.read_bytes() for path in files}


def test_every_command_with_a_read_only_option_is_tried():
    offering = {
        word
        for word, parser in parsers().items()
        if set(READ_ONLY) & {option for action in parser._actions for option in action.option_strings}
    }
    assert offering == HERE


@pytest.fixture
def target(call, plan, home):
    """A host with an applied split and a kept run; returns what each command is to be told."""
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    assert call("apply", run_id, "--split", "1:2").code == 0
    url = f"fake:{home / 'host.json'}"
    return {
        "run": [plan()],
        "apply": [run_id, "--split", "1:1"],
        "revert": [url],
        "restore": [],
        "follow": [url, "--for", "1h"],
    }


def test_read_only_option_next_to_any_other_changes_nothing(call, home, target):
    before = everything(home)
    [record] = (home / "state" / "applied").glob("*.json")
    for word, *options in calls():
        reported = [
            text for option in options for text in ((option, record.stem) if option in WITH_HOST else (option,))
        ]
        call(word, *target[word], *reported)
        assert everything(home) == before, f"{word} {' '.join(options)}"

"""What `domtune --help` says: every word that people use, none that only the window does, and examples that work."""

import re

from scheduler.commands.parser import _parse_arguments


def test_help_lists_words_for_people_and_examples(call):
    reported = call("--help").out
    listed = re.findall(r"^    (\S+)", reported, re.MULTILINE)
    assert {"run", "probe", "restore", "export"} <= set(listed)
    assert "core" not in listed
    examples = re.findall(r"^  domtune (.+?)  ", reported, re.MULTILINE)
    assert len(examples) >= 4
    for example in examples:
        assert _parse_arguments(example.split()).word in listed


def test_windows_own_word_is_there_still(call):
    assert "orders on standard input" in call("core", "--help").out.replace("\n", " ")

"""Every command of a toolstack that is printed for somebody to type exists, with these words."""

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WORDS = json.loads((ROOT / "resources/toolstack/words.json").read_text(encoding="utf-8"))
SOURCES = sorted(path for folder in ("scheduler", "labs", "app") for path in (ROOT / folder).rglob("*.py"))
TEXTS = sorted(
    path
    for folder, kind in (("resources/bundle", "*.sh"), ("resources/bundle", "*.j2"), ("docs", "*.md"))
    for path in (ROOT / folder).rglob(kind)
    if "decisions" not in path.parts
)
_FILLED = "\N{CURRENCY SIGN}"  # stands where a value is filled in
_PROGRAMS = re.compile(r"\b(xe|host-cpu-tune|xl|xenpm)\b")
_PROGRAM = re.compile(r"(?<![\w./+-])(?:/\S*/)?(xe|host-cpu-tune|xl|xenpm) ([a-z][^\n;`]*)")
_PARAMETER = re.compile(r"""["']?([A-Za-z][\w-]*)(?::[^=\s]+)?=\S*""")
_VERB = re.compile(r"[a-z][a-z0-9-]*")


def printed(path):
    """Yield every text of a file in which a command may stand."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield text
        return
    for node in ast.walk(ast.parse(text)) if _PROGRAMS.search(text) else ():
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else _FILLED for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def commands(text):
    """Yield program and the rest of the line for each command in a text: sentences have verbs without hyphens."""
    for found in _PROGRAM.finditer(text):
        if "-" in _VERB.match(found[2])[0] or found[1] == "host-cpu-tune":
            yield found[1], found[2]


def exists(program, rest):
    """Return True when the program has such words."""
    if program == "host-cpu-tune":
        return any(re.match(rf"{form}(?![\w-])", rest.replace(_FILLED, "1")) for form in WORDS[program])
    verb, known = _VERB.match(rest)[0], WORDS[program]
    if verb.endswith("-"):  # the rest of the verb is filled in, or a star
        return any(each.startswith(verb) for each in known)
    named = [_PARAMETER.fullmatch(word) for word in rest.split()[1:]]
    return verb in known and (program != "xe" or all(found[1] in known[verb] for found in named if found))


@pytest.fixture(scope="module")
def found():
    """Every printed command with its file."""
    files = [*SOURCES, *TEXTS]
    return [(path.relative_to(ROOT), *each) for path in files for text in printed(path) for each in commands(text)]


def test_every_printed_command_exists(found):
    wrong = [f"{path}: {program} {rest}" for path, program, rest in found if not exists(program, rest)]
    assert wrong == []


def test_commands_of_the_bundle_are_among_those_that_are_looked_at(found):
    verbs = {_VERB.match(rest)[0] for _, _, rest in found}
    assert {"vm-param-set", "vcpu-pin"} <= verbs


@pytest.mark.parametrize(
    ("program", "rest"),
    [
        ("xe", "host-set-ssh-enabled-timeout uuid=1 value=0"),
        ("xe", "host-param-set uuid=1 ssh-timeout=0"),
        ("xe", "pool-ha-off"),
        ("host-cpu-tune", "set 0 nopin, then reboot the host."),
        ("host-cpu-tune", "set 2"),
        ("xl", "sched-credit3 -d 1"),
        ("xenpm", "set-governor performance"),
    ],
)
def test_words_that_no_program_has_are_seen(program, rest):
    assert not exists(program, rest)

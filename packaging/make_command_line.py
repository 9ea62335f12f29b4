"""Generator of the commands and options in docs/reference/command-line.md, from their declarations."""

import argparse
import sys

from page_blocks import REFERENCE, make_table, replace_block

from scheduler.commands.arguments import COMMANDS, Command, build_parser

PAGE = REFERENCE / "command-line.md"


def build_page(page: str) -> str:
    """Return the page with a new block for each command, and the table of all commands."""
    rows = ((f"[`{each.name}`](#domtune-{each.name})", each.purpose) for each in COMMANDS)
    page = replace_block(page, "commands", make_table(("command", "purpose"), rows))
    [parsers] = [each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction)]  # noqa: SLF001
    for command in COMMANDS:
        page = replace_block(page, f"domtune {command.name}", _describe(command, parsers.choices[command.name]))
    return page


def _describe(command: Command, parser: argparse.ArgumentParser) -> str:
    shown = [each for each in parser._actions if each.help != argparse.SUPPRESS and each.dest != "help"]  # noqa: SLF001
    named = [each for each in shown if not each.option_strings]
    options = [each for each in shown if each.option_strings]
    words = " ".join(["domtune", command.name, "[OPTIONS]" if options else "", *map(_synopsis, named)])
    examples = "".join(f"$ domtune {line}    # {meaning}\n" for line, meaning in command.examples)
    rows = [(f"`{_name_of(each)}`", str(each.help)) for each in (*named, *options)]
    return (
        f"{command.purpose[0].upper()}{command.purpose[1:]}. Synopsis: `{' '.join(words.split())}`\n\n"
        f"{make_table(('argument', 'meaning'), rows)}\n```console\n{examples}```"
    )


def _synopsis(action: argparse.Action) -> str:
    name = _name_of(action)
    several = {"*": f"[{name} ...]", "+": f"{name} [{name} ...]", "?": f"[{name}]"}
    return several.get(str(action.nargs), name)


def _name_of(action: argparse.Action) -> str:
    value = str(action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper()))
    if not action.option_strings:
        return value
    several = f"[{value} ...]" if action.nargs == "*" else value
    return action.option_strings[-1] if action.nargs == 0 else f"{action.option_strings[-1]} {several}"


def main() -> int:
    """Write the page and print its path."""
    PAGE.write_text(build_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())

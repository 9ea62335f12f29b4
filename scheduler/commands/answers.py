"""Printing an answer: JSON for machines, words for people."""

import sys

import msgspec


def print_json(value: msgspec.Struct) -> None:
    """Print one object on one line."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()


def print_lines(*lines: str) -> None:
    """Print the lines that are not empty."""
    sys.stdout.writelines(line + "\n" for line in lines if line)
    sys.stdout.flush()

"""Count of the style of pages and texts: clauses with "what", examples, address, long sentences, retired words.

Prints one table, or with `--sample SEED` fifty random sentences of pages and fifty random texts, for a reader to judge.
`tests/unit/test_words_in_use.py` holds the limits. The ranges are those of five admired projects
(bluesky, napari, qutebrowser, virt-manager, Xen Orchestra), measured with the same patterns.
"""

import argparse
import ast
import random
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from scheduler.model.glossary import load_glossary

ROOT = Path(__file__).resolve().parent.parent
USER_FOLDERS = ("tutorial", "how-to", "explanation", "reference")
"""Folders of docs for users."""
MOST_WORDS = 20
"""Length of a sentence that is still easy to read."""
PATTERNS: Mapping[str, re.Pattern[str]] = {
    "what": re.compile(r"\bwhat\b(?![^.?!]*\?)", re.IGNORECASE),
    "for example": re.compile(r"\bfor example\b|\be\.g\.", re.IGNORECASE),
    "you": re.compile(r"\byour?s?\b", re.IGNORECASE),
}
SAMPLE = 50
"""Sentences, and texts, that a sample draws."""
_CODE = re.compile(r"```.*?```|`[^`]*`|<[^>]*>|\]\([^)]*\)", re.DOTALL)
_BLOCKS_OF_CODE = re.compile(r"```.*?```|\]\([^)]*\)", re.DOTALL)
_SENTENCE = re.compile(r"(?:[^.!?:|]|\.(?=\w))+[.!?](?!\w)")
_FOR_PEOPLE = re.compile(r"[A-Z{<'\"]?[a-z<{].*[.?!a-z}>)]$")
"""A text of people begins and ends like a sentence or a label."""
_FOR_MACHINES = re.compile(r"[\n;=$\\]|/\S+/|\b(SELECT|INSERT|UPDATE|CREATE|DROP|DELETE|GRANT|ALTER|SET)\b|\w+_\w+ ")
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.))")


def retired_words() -> re.Pattern[str]:
    """Return the pattern of the words that the glossary retires."""
    glossary = load_glossary()
    words = [word for each in (*glossary.term, *glossary.style) for word in each.retired]
    return re.compile(r"\b(" + "|".join(re.escape(word) for word in words) + r")\b", re.IGNORECASE)


def user_pages(code: re.Pattern[str] = _CODE) -> dict[str, str]:
    """Return the pages for users, by path, without code; the glossary is not included.

    Args:
        code: Text that is replaced by the word "code".
    """
    paths = [path for folder in USER_FOLDERS for path in sorted((ROOT / "docs" / folder).rglob("*.md"))]
    pages = [ROOT / "README.md", *(path for path in paths if path.name != "glossary.md")]
    return {str(path.relative_to(ROOT)): code.sub(" code ", path.read_text(encoding="utf-8")) for path in pages}


def texts_for_people() -> dict[str, str]:
    """Return the texts of the window and the command line, by place: strings of two words or more."""
    found: dict[str, str] = {}
    for top in ("app", "scheduler", "labs"):
        for path in sorted((ROOT / top).rglob("*.py")):
            for line, text in _strings_of(ast.parse(path.read_text(encoding="utf-8"))):
                if len(re.findall(r"[A-Za-z]{2,}", text)) > 1 and not text.isupper():
                    found[f"{path.relative_to(ROOT)}:{line}"] = _CODE.sub(" code ", text)
    return found


def count_per_10000(texts: Mapping[str, str]) -> dict[str, float]:
    """Return the occurrences of each pattern in 10,000 words, and the share of long sentences in percent.

    Args:
        texts: Texts by place.
    """
    whole = "\n\n".join(texts.values())
    words = max(1, len(re.findall(r"[A-Za-z']+", whole)))
    lengths = [len(re.findall(r"[\w'%]+", sentence)) for sentence in sentences_of(whole)]
    figures = {name: 1e4 * len(pattern.findall(whole)) / words for name, pattern in PATTERNS.items()}
    long = sum(length > MOST_WORDS for length in lengths)
    return figures | {"words": words, "long sentences, %": 100 * long / max(1, len(lengths))}


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text; a line of a list or table ends a sentence."""
    for block in _BLOCK.split(text):
        for sentence in _SENTENCE.findall(" ".join(block.split())):
            if len(sentence.split()) > 2:
                yield sentence.strip()


def draw_sentences(seed: int) -> list[tuple[str, str]]:
    """Draw random sentences of the pages for users, with their pages.

    Args:
        seed: Seed of the random numbers.
    """
    found = [(page, sentence) for page, text in user_pages(_BLOCKS_OF_CODE).items() for sentence in sentences_of(text)]
    return random.Random(seed).sample(found, SAMPLE)


def draw_texts(seed: int) -> list[tuple[str, str]]:
    """Draw random texts of window and command line, with their places: those of three words or more.

    Args:
        seed: Seed of the random numbers.
    """
    found = [
        (place, text)
        for place, text in texts_for_people().items()
        if len(text.split()) > 2 and _FOR_PEOPLE.match(text) and not _FOR_MACHINES.search(text)
    ]
    return random.Random(seed).sample(found, SAMPLE)


def _strings_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of all strings but docstrings; a string in braces is one text."""
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value


def _print_counts() -> None:
    for kind, texts in (("pages", user_pages()), ("texts", texts_for_people())):
        figures = count_per_10000(texts)
        retired = sum(len(retired_words().findall(text)) for text in texts.values())
        row = ", ".join(f"{name} {value:.1f}" for name, value in figures.items())
        sys.stdout.write(f"{kind}: {row}, retired words {retired}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Count the style of pages and texts, or draw a sample of both.")
    parser.add_argument("--sample", type=int, metavar="SEED", help="print 50 random sentences and 50 random texts")
    seed = parser.parse_args().sample
    if seed is None:
        _print_counts()
    else:
        drawn = (*draw_sentences(seed), *draw_texts(seed))
        sys.stdout.writelines(f"{place}: {text}\n" for place, text in drawn)

from collections import Counter
from pathlib import Path

import pytest

from scheduler.model.glossary import MOST_MEANING_LETTERS, find_term, load_glossary

ROOT = Path(__file__).resolve().parents[3]


def test_glossary_has_each_key_and_retired_word_once():
    terms = load_glossary().term
    words = [word for each in (*terms, *load_glossary().style) for word in each.retired]
    assert [name for name, count in Counter([*(term.key for term in terms), *words]).items() if count > 1] == []
    assert len(terms) > 50


def test_glossary_meaning_is_short_and_whole_sentences():
    for term in load_glossary().term:
        assert 20 <= len(term.meaning) <= MOST_MEANING_LETTERS, term.key
        assert term.meaning[0].isupper(), term.key
        assert term.meaning.endswith("."), term.key


def test_find_term_rejects_unknown_key():
    assert find_term("split").name == "split"
    with pytest.raises(KeyError):
        find_term("no such term")

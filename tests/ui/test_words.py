import datetime

import pytest

from app import display_texts
from app.display_texts import NARROW
from app.glossary import GLOSSARY, glossary_term


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (11_834.2, "11.8k"),
        (999.4, "999"),
        (999.9, "1k"),
        (1_234_567, "1.23M"),
        (0.01234, "0.0123"),
        (0, "0"),
        (42, "42"),
    ],
)
def test_prose_has_at_most_three_digits(value, text):
    assert display_texts.format_short(value) == text


def test_measured_rates_keep_their_zeros_so_that_a_column_of_them_can_be_compared():
    reported = [display_texts.format_rate(tps) for tps in (7_000.0, 7_030.0, 700.0)]
    assert reported == ["7.00k tuples/s", "7.03k tuples/s", "700 tuples/s"]


@pytest.mark.parametrize(
    ("frac", "text"),
    [
        (0.381, "+38 %"),
        (-0.0412, "\N{MINUS SIGN}4.1 %"),
        (0.0, "0 %"),
        (-0.0001, "0 %"),
        (0.0001, "0 %"),
        (0.995, "+100 %"),
        (None, "\N{EM DASH}"),
    ],
)
def test_changes_carry_their_sign(frac, text):
    assert display_texts.format_signed_percent(frac) == text.replace(" ", NARROW)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (200, "3 min 20 s"),
        (720, "12 min"),
        (3599, "1 h"),
        (7500, "2 h 5 min"),
        (86_400, "1 day"),
        (2 * 86_400 + 4 * 3600, "2 days 4 h"),
    ],
)
def test_durations_read_as_people_report_them(seconds, text):
    assert display_texts.format_duration(seconds) == text


def test_range_names_its_unit_once():
    assert display_texts.format_duration_range(1080, 1260) == "18 to 21 min"
    assert display_texts.format_duration_range(1200, 1201) == "20 min"
    assert display_texts.format_duration_range(200, 1201) == "3 min 20 s to 20 min"


def test_clock_time_names_the_day_only_where_it_must():
    now = datetime.datetime(2026, 3, 4, 12, 0).astimezone()
    assert display_texts.format_clock(now.timestamp() - 60, now_unix_s=now.timestamp()) == "11:59"
    assert display_texts.format_clock(now.timestamp() - 2 * 86_400, now_unix_s=now.timestamp()).endswith(" 12:00")
    assert "2026" in display_texts.format_clock(now.timestamp() - 20 * 86_400, now_unix_s=now.timestamp())


def test_interval_is_a_half_width_next_to_its_mean():
    assert display_texts.format_half_width(97, 103, 100) == "± 3 %".replace(" ", NARROW)
    assert display_texts.format_half_width(0, 0, 0) == ""


def test_sentence_begins_with_a_capital_and_changes_no_other_letter():
    assert display_texts.capitalise_first("lost PostgreSQL at osdb.Example") == "Lost PostgreSQL at osdb.Example"
    assert display_texts.capitalise_first("") == ""


def test_first_line_reports_it_and_the_rest_is_details():
    assert display_texts.first_line("the server ended\nLOG: one\nFATAL: two\n") == (
        "the server ended",
        "LOG: one\nFATAL: two",
    )
    assert display_texts.first_line("stopped") == ("stopped", "")


def test_plain_text_is_typeset_without_touching_names():
    assert display_texts.typeset_text("-3 % at osdb-ir 1-2") == f"\N{MINUS SIGN}3{NARROW}% at osdb-ir 1-2"


@pytest.mark.parametrize("key", GLOSSARY)
def test_every_word_has_an_entry_that_is_a_sentence(key):
    word, meaning = glossary_term(key)
    assert word
    assert not word[0].islower()
    assert meaning.endswith(".")
    assert 20 <= len(meaning) <= 240

import pytest

from scheduler.model.number_texts import format_interval, format_percent, format_short, format_signed_percent
from scheduler.model.sentence_texts import (
    format_cpu_list,
    format_load_rate,
    join_names,
    join_sentences,
    list_names,
)


@pytest.mark.parametrize(
    ("tps", "text"),
    [
        (0, "0 tuples/s"),
        (0.123456, "0.123 tuples/s"),
        (999.4, "999 tuples/s"),
        (999.6, "1.00k tuples/s"),
        (11_812, "11.8k tuples/s"),
        (123_456, "123k tuples/s"),
        (999_600, "1.00M tuples/s"),
        (12_345_678, "12.3M tuples/s"),
    ],
)
def test_rate_has_three_digits_and_its_unit(tps, text):
    assert format_load_rate(tps) == text


@pytest.mark.parametrize(
    ("frac", "text"),
    [
        (0, "0 %"),
        (0.00004, "0 %"),
        (0.0051, "0.5 %"),
        (0.0912, "9.1 %"),
        (0.0996, "10 %"),
        (0.384, "38 %"),
        (-0.15, "-15 %"),
    ],
)
def test_percent_is_short(frac, text):
    assert format_percent(frac) == text


def test_nothing_is_minus_nothing():
    assert format_percent(-0.0000001) == "0 %"
    assert format_signed_percent(-0.0000001) == "0 %"
    assert format_signed_percent(0.384) == "+38 %"
    assert format_signed_percent(-0.384) == "-38 %"


def test_interval_has_one_unit():
    assert format_interval(-0.012, 0.034) == "-1.2 to +3.4 %"


def test_lists_read_as_people_write():
    assert [join_names(items) for items in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_short_numbers_have_no_exponent():
    assert [format_short(value) for value in (12345, 0.00012, 1e6)] == ["12.3k", "0.00012", "1M"]


def test_parts_become_sentences_and_questions_stay_questions():
    assert join_sentences("CPU 0 is busy", "End what runs there.") == "CPU 0 is busy. End what runs there."
    assert join_sentences("no Domain-0", "", "Is this a Xen host?") == "no Domain-0. Is this a Xen host?"
    assert join_sentences("", "") == ""


def test_long_cpu_lists_and_names_are_shortened_with_their_number():
    assert format_cpu_list(range(512)) == "0-511"
    assert format_cpu_list(range(0, 8, 2)) == "0, 2, 4, 6"
    assert format_cpu_list(range(0, 128, 2)) == "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 52 more"
    assert list_names(["web1", "web2", "web3"], 3) == "web1, web2, web3"
    assert list_names((f"web{n}" for n in range(1, 13)), 3) == "web1, web2, web3 and 9 more"

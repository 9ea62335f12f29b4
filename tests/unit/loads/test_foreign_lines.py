"""Figures of users on computers of others: within bounds, or an error of ours."""

import random

import msgspec
import pytest

from scheduler.loads.latency import MOST_BUCKET, bucket_of, quantile_ms
from scheduler.loads.second_merger import SecondMerger
from scheduler.loads.user_lines import UserLines
from scheduler.loads.user_messages import BeginOrder, FailedAnswer, SecondReport, UserTotals, decode_answer, encode_line
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.named_figures import NamedFigure

FAIR = SecondReport(1000, 5, {40: 5}, 0, 0.1, 0.0, sorts={"buy": {40: 5}}, figures=(NamedFigure("Q1 time", 1.0, "s"),))
BUILTINS = msgspec.to_builtins(FAIR)
SEEDS = range(200)
SPOILS = (b"9" * 40, b"-", b"\xff", b"{", b"]", b"null", b"1e999", b"")


def user() -> UserLines:
    return UserLines(BeginOrder({}, "osdb-ir", 1000, 1, 0))


def answers(body: dict) -> list:
    return user().read(msgspec.json.encode(body) + b"\n")


@pytest.mark.parametrize(
    "change",
    [
        {"histogram": {str(2**31): 1}},
        {"histogram": {"-1": 1}},
        {"histogram": {str(MOST_BUCKET + 1): 1}},
        {"histogram": {"40": -1}},
        {"count": -1},
        {"count": 10**30},
        {"second": 2**63},
        {"second": -(2**62)},
        {"retries": -5},
        {"errors": 10**10},
        {"cpu_s": -0.1},
        {"cpu_s": 1e300},
        {"waiting_s": -1.0},
        {"sorts": {"buy": {"700": 1}}},
        {"sorts": {"x" * 201: {}}},
        {"sorts": {str(number): {} for number in range(201)}},
        {"failures": {"buy": -1}},
        {"figures": [{"name": "Q1", "value": 1e300, "unit": "s"}]},
        {"figures": [{"name": "Q1" * 200, "value": 1.0, "unit": "s"}]},
    ],
)
def test_report_outside_of_its_bounds_is_an_error_of_ours(change):
    (answer,) = answers({**BUILTINS, **change})
    assert isinstance(answer, FailedAnswer)
    assert "unreadable answer" in answer.text
    assert answers(BUILTINS) == [FAIR]


@pytest.mark.parametrize("field", ["tuples", "misses", "retries", "reported"])
def test_totals_outside_of_their_bounds_are_an_error_of_ours(field):
    body = msgspec.to_builtins(UserTotals(1, 0, 0))
    assert isinstance(answers({**body, field: -1})[0], FailedAnswer)
    assert isinstance(answers({**body, field: 10**16})[0], FailedAnswer)


def test_every_report_of_a_user_of_ours_stays_within_bounds():
    for service_time_ms in (0.0, 1e-9, 1.0, 1e6, 1e300):
        bucket = bucket_of(service_time_ms)
        report = msgspec.structs.replace(FAIR, histogram={bucket: 1}, waiting_s=40.0)
        assert decode_answer(encode_line(report).rstrip()) == report
        assert quantile_ms(report.histogram, 0.99) is not None


def test_line_without_an_end_is_given_up():
    lines = user()
    found = [answer for _ in range(10) for answer in lines.read(b"x" * (MOST_LINE_BYTES // 8))]
    assert isinstance(found[0], FailedAnswer)
    assert len(found) == 1


def test_reports_one_second_are_at_most_as_many_as_users():
    merging = SecondMerger(2, probe=False, first_second=1000)
    for _ in range(50):
        merging.take(FAIR, probe=False)
    (second,) = merging.complete(1000.0)
    assert second.count == 2 * FAIR.count


@pytest.mark.parametrize("seed", SEEDS)
def test_spoiled_line_becomes_an_answer_or_an_error_of_ours(seed):
    rng = random.Random(seed)
    line = bytearray(encode_line(rng.choice([FAIR, UserTotals(7, 0, 1, sorts={"a": 3})])))
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(len(line))
        line[place : place + rng.randrange(3)] = rng.choice(SPOILS)
    for answer in user().read(bytes(line) + b"\n"):
        if isinstance(answer, SecondReport):
            assert quantile_ms(answer.histogram, 0.5) is None or answer.count >= 0

"""Lines that benchmarks print, and the rate of each: a wrong figure is worse than none."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.errors import LoadDied
from scheduler.loads.command.command_engine import CommandLines
from scheduler.loads.command.line_figures import AmbiguousNumber, parse_number
from scheduler.loads.command.pattern_preview import preview_text
from scheduler.loads.command.rate_reader import CONSTANT_LINES, GROWTHS, FigureHistory, RateReader
from scheduler.loads.engines.program import ProgramLine, split_lines
from scheduler.model.pattern_preview import PatternRequest

UNREADABLE = "a figure that is refused aloud"
MEMTIER = (
    "[RUN #1 12%,   1 secs]  4 threads:      123456 ops,  124000 (avg:  123000) ops/sec, 4.7MB/sec (avg: 4.7MB/sec),  "
    "1.61 (avg:  1.60) msec latency"
)
GO_TPC = (
    "[Current] NEW_ORDER - Takes(s): 9.9, Count: 123, TPM: 745.5, Sum(ms): 5000.0, Avg(ms): 40.7, 50th(ms): 39.8, "
    "90th(ms): 52.4, 95th(ms): 58.7, 99th(ms): 71.3, 99.9th(ms): 79.7, Max(ms): 80.1"
)
YCSB = (
    "2024-05-01 12:00:10:123 10 sec: 123456 operations; 12345.6 current ops/sec; est completion in 5 minutes [READ: "
    "Count=123456, Max=11111, Min=80, Avg=812.4, 90=1000, 99=2000, 99.9=3000, 99.99=4000]"
)

LINES = [
    # Known programs.
    (
        "[ 10s ] thds: 4 tps: 770.97 qps: 15419.4 (r/w/o: 10793.6/3083.9/1541.9) lat (ms,95%): 6.43 err/s: 0.00 "
        "reconn/s: 0.00",
        770.97,
    ),
    ("[ 1s ] thds: 4000 tps: 0.00 qps: 0.00 (r/w/o: 0.00/0.00/0.00) lat (ms,95%): 0.00 err/s 0.00", 0.0),
    ("[ 10s ] thds: 4 tps: 770.97", 770.97),
    ("[   1s] threads: 4, tps: 310.80, reads: 4351.17, writes: 1243.19, response time: 15.27ms (95%)", 310.8),
    ("[ 2s ] thds: 2 eps: 1234.56 lat (ms,95%): 0.87", 1234.56),
    ("progress: 1.0 s, 5639.9 tps, lat 0.350 ms stddev 1.016, 0 failed", 5639.9),
    ("progress: 1795409580.717 s, 12.0 tps, lat NaN ms stddev NaN", 12.0),
    ("progress: 5.0 s, 1.2e+05 tps, lat 0.1 ms stddev 0.0", 120_000.0),
    (MEMTIER, 124_000.0),
    (MEMTIER.replace("4 threads:", "4 threads 200 conns:"), 124_000.0),
    ("GET: rps=54321.7 (overall: 51000.3) avg_msec=0.482 (overall: 0.501)", 54_321.7),
    ("SET: rps=0.0 (overall: nan) avg_msec=nan (overall: nan)", 0.0),
    (YCSB, 12_345.6),
    ("2024-05-01 12:00:00:123 0 sec: 0 operations; est completion in 0 second", None),
    ("123480 PostgreSQL tpm", 2058.0),
    ("hammerdb> 600 MySQL tpm", 10.0),
    (GO_TPC, 12.425),
    (GO_TPC.replace("NEW_ORDER", "PAYMENT"), None),
    ("Requests/sec:  12345.67", 12_345.67),
    ("    Req/Sec    56.20k     8.07k   62.00k    86.54%", None),
    ("Jobs: 1 (f=1): [r(1)][10.0%][r=48.1MiB/s][r=12.3k IOPS][eta 00m:09s]", 12_300.0),
    ("Jobs: 2 (f=2): [m(2)][3.3%][r=9.8MiB/s,w=4.2MiB/s][r=2500,w=1075 IOPS][eta 00m:58s]", 3575.0),
    ("Jobs: 1 (f=1): [r(1)] [10.0% done] [48.1MB/0KB/0KB /s] [12.3K/0/0 iops] [eta 00m:09s]", 12_300.0),
    ("  read: IOPS=812, BW=3.2MiB/s (3.3MB/s)(32MiB/10001msec)", None),
    ("  10, trx: 1234, 95%: 5.123, 99%: 7.500, max_rt: 12.300, 1233|9.4, 123|1.2", 1234.0),
    # JSON lines.
    ('{"rate": 312.74}', 312.74),
    ('{"rate": 1.23e4, "latency_ms": 2.5, "phase": "run"}', 12_300.0),
    ('{"count": 17, "errors": 2}', 17.0),
    ('{"event": "start"}', None),
    ('{"rate": "312,74"}', UNREADABLE),
    ('{"rate": 312.74, "count": 17}', UNREADABLE),
    ('{"rate": -5}', None),
    ('{"rate": 312', None),
    # A label, then the figure.
    ("tps: 310.80 latency: 5 ms", 310.8),
    ("TPS = 310.80", 310.8),
    ("thds 8, tps=310", 310.0),
    ("4 tps: 310.80", 310.8),
    ("Throughput (ops/sec): 1234.5", 1234.5),
    ("throughput: 1234.5 ops/sec", 1234.5),
    ("throughput: 48.1 MB/s", None),
    ("qps: 6216 tps: 310.80", 310.8),
    ("ops/s: 1.23e+04", 12_300.0),
    ("tps: 12.3k", None),
    ("tps: 50 %", None),
    ("tps: -5", None),
    # A figure, then its unit.
    ("wrote 17 ops", 17.0),
    ("770.97tps", 770.97),
    ("1234 transactions per second, 2.5 ms", 1234.0),
    ("1234.5 txn/s", 1234.5),
    ("99.5/s", 99.5),
    ("1.23e+04 tps", 12_300.0),
    (".5 tps", 0.5),
    ("12,345.6 tps", 12_345.6),
    ("12'345.6 tps", 12_345.6),
    ("12\u2019345 tps", 12_345.0),
    ("1,234,567 ops", 1_234_567.0),
    ("12,345 tps", UNREADABLE),
    ("312,74 tps", UNREADABLE),
    ("12.345,6 tps", UNREADABLE),
    ("12 345.6 tps", UNREADABLE),
    ("thds 4 tps 310.80", UNREADABLE),
    ("tps: 310, tps: 290", UNREADABLE),
    ("-5 tps", None),
    ("\u22125 tps", None),
    ("3.4/s1", None),
    ("12/300 tps", None),
    ("4 tpsx", None),
    ("x300 tps", None),
    ("12.3ktps", None),
    ("0x12 tps", None),
    ("1.2.3 tps", None),
    ("nan tps", None),
    ("inf tps", None),
    ("4 tps:", None),
    ("1234567 bytes (1.2 MB, 1.2 MiB) copied, 1 s, 1.2 MB/s", None),
    # Settings, means and parts.
    ("Target transaction rate: 300/sec", None),
    ("rate limit: 300 tps", None),
    ("300 tps (avg since start)", None),
    ("average tps: 300", None),
    ("thread 3: 100 tps", None),
    ("4 threads, 300 tps", 300.0),
    ("", None),
]


def read_line(text: str, pattern: str = ""):
    reader = RateReader(pattern)
    try:
        return reader.read(text)
    finally:
        reader.close()


@pytest.mark.parametrize(("line", "rate"), LINES)
def test_reader_without_pattern_reads_the_rate_or_nothing(line, rate):
    reading = read_line(line)
    if rate is UNREADABLE:
        assert reading.figures is None
        assert reading.problem
    else:
        assert not reading.problem
        assert (reading.figures and reading.figures.figure) == (rate if rate is None else pytest.approx(rate))


def test_known_lines_give_service_times_and_errors():
    assert read_line(GO_TPC).figures.times_ms == {"latency": 40.7, "p50": 39.8, "p95": 58.7, "p99": 71.3}
    assert read_line(MEMTIER).figures.times_ms == {"latency": 1.61}
    assert read_line(LINES[0][0]).figures.times_ms == {"p95": 6.43}
    assert read_line("progress: 1.0 s, 5.0 tps, lat 0.3 ms stddev 1.0, 7 failed").figures.errors == 7


@pytest.mark.parametrize(
    ("pattern", "line", "rate"),
    [
        ("(?P<rate>[0-9.]+)", "312,74", UNREADABLE),
        ("(?P<rate>[0-9.]+) tps", "312,74 tps", UNREADABLE),
        ("(?P<rate>[0-9.]+)", "1.23e+04", UNREADABLE),
        ("(?P<rate>[0-9]+)", "312.74", UNREADABLE),
        (".*(?P<rate>[0-9.]+) tps", "312.74 tps", UNREADABLE),
        ("(?P<rate>[0-9.]+)", "-5", UNREADABLE),
        ("(?P<rate>[0-9.]+)", "rps=12.3k", UNREADABLE),
        ("(?P<rate>[0-9,]+)", "12,345 tps", UNREADABLE),
        ("(?P<rate>[0-9.]+) tps, (?P<p95_ms>[0-9.]+)", "312 tps, 2,5 ms", UNREADABLE),
        ("(?P<rate>[0-9,.]+)", "12,345.6 tps", 12_345.6),
        ("(?P<rate>[0-9.]+)ms", "5.2ms", 5.2),
        ("n(?P<rate>[0-9.]+)", "n312 x", 312.0),
        ("(?P<rate>[0-9.]+)", "done: 312.", 312.0),
        ("^(?P<rate>[0-9.]+),(?P<errors>[0-9]+)$", "312.7,4", 312.7),
        ("^[0-9]+,(?P<rate>[0-9.]+)", "10,312.5", 312.5),
        ("(?P<rate>[0-9.]+)", "nothing", None),
    ],
)
def test_pattern_that_cuts_a_number_is_refused(pattern, line, rate):
    reading = read_line(line, pattern)
    if rate is UNREADABLE:
        assert reading.figures is None
        assert reading.problem
    else:
        assert (reading.figures and reading.figures.figure, reading.problem) == (rate, "")


@given(st.text(st.sampled_from("0123456789.,'eE+-tpsk :=/"), max_size=24))
def test_reader_never_reads_a_part_of_a_longer_number(text):
    reading = read_line(text)
    if reading.figures is not None:
        values = set()
        for word in re.findall(r"[0-9.,'eE+-]+", text):
            for part in (word, word.rstrip(".,e'+-"), word.lstrip("e'+-,"), word.lstrip("e'+-,").rstrip(".,e'+-")):
                try:
                    values.add(parse_number(part))
                except AmbiguousNumber:
                    continue
        assert reading.figures.figure in values


def texts_of(answer):
    return [line.figure for line in answer.lines]


def test_first_recognised_form_decides_the_later_lines():
    text = (
        "Target rate: 300/s\n[ 1s ] thds: 4 tps: 10.5\ntransactions: 3108 (310.80 per sec.)\n[ 2s ] thds: 4 tps: 11.5"
    )
    assert texts_of(preview_text(PatternRequest(pattern="", text=text))) == [None, 10.5, None, 11.5]
    assert texts_of(preview_text(PatternRequest(pattern="", text="tps: 5\n7 ops\ntps: 6"))) == [5, None, 6]
    assert texts_of(preview_text(PatternRequest(pattern="", text='{"rate": 5}\ntps: 7\n{"rate": 6}'))) == [5, None, 6]


def test_total_counts_the_difference_to_the_line_before():
    text = "\n".join(f"done {total}" for total in (100, 130, 150, 20, 50))
    answer = preview_text(PatternRequest(pattern="done (?P<total>[0-9]+)", text=text))
    assert texts_of(answer) == [None, 30, 20, None, 30]
    assert all(line.counts for line in answer.counted)


def judged(figures, growths=GROWTHS, pattern=""):
    reader, history = RateReader(pattern), FigureHistory(growths)
    refusals = [history.take(reader.read(text), text) for text in (f"tps: {figure}" for figure in figures)]
    reader.close()
    return refusals[-1].text if refusals[-1] else ""


def test_figure_that_never_changes_is_refused():
    assert "never changes: it was 4 in all of 8 lines" in judged([4] * CONSTANT_LINES)
    assert judged([4] * (CONSTANT_LINES - 1)) == ""
    assert judged([4] * 7 + [5] + [4] * 20) == ""
    assert judged([0] * 20) == ""
    assert judged([4] * 20, pattern="(?P<count>[0-9]+)") == ""


def test_figure_that_only_grows_is_refused():
    assert "only grows, 20 times without a fall" in judged(range(100, 100 + 7 * 21, 7))
    assert judged(range(100, 120)) == ""
    assert "only grows" in judged(range(100, 121), pattern="(?P<count>[0-9]+)")
    assert judged([*range(100, 110), 50, *range(100, 150)]) == ""


def test_running_total_of_several_short_runs_is_refused():
    history, fault = FigureHistory(GROWTHS), None
    for _ in range(6):
        history.begin_run()
        reader = RateReader("")
        for total in range(10, 55, 10):
            fault = fault or history.take(reader.read(f"{total} ops"), "")
    assert "only grows" in fault.text


def test_figures_that_come_faster_than_the_plan_asks_may_repeat():
    history = FigureHistory(GROWTHS, interval_s=1.0)
    reader = RateReader("")
    refusals = [history.take(reader.read("tps: 4"), "tps: 4", 0.1 * place) for place in range(31)]
    assert refusals[:30] == [None] * 30
    assert "in all of 31 lines" in refusals[30].text
    assert not preview_text(PatternRequest(pattern="", text="4 tps\n" * 8 + "5 tps")).problem


def swept(*texts: str, pattern: str = ""):
    lines = CommandLines(RateReader(pattern), 1.0, FigureHistory(GROWTHS))
    try:
        return [lines.read(ProgramLine(float(at_s), text), at_s - 1.0) for at_s, text in enumerate(texts, 1)]
    finally:
        lines.close()


def test_sweep_ends_where_figures_measure_nothing_or_cannot_be_read():
    with pytest.raises(LoadDied, match="is no rate: the figure never changes"):
        swept(*["4 tps"] * 8)
    with pytest.raises(LoadDied, match="'312,74' can be read in two ways") as refused:
        swept("999 tps", "312,74 tps")
    assert "plain numbers" in refused.value.hint
    with pytest.raises(LoadDied, match=r"takes '312' out of '312,74'"):
        swept(*["312,74 tps"] * 5, pattern="(?P<rate>[0-9.]+)")
    assert [reported and reported.count for reported in swept("1,234 ops", "7 tps")] == [None, 7]


def test_understood_states_what_a_sweep_would_refuse():
    problem = preview_text(PatternRequest(pattern="", text="\n".join(f"tps: {n}" for n in range(1, 10)))).problem
    assert "only grows, 8 times" in problem
    assert "(?P<total>" in problem
    assert "never changes" in preview_text(PatternRequest(pattern="", text="4 tps\n" * 8)).problem
    assert "two ways" in preview_text(PatternRequest(pattern="", text="312,74 tps")).problem
    assert "two ways" in preview_text(PatternRequest(pattern="", text="999 tps\n312,74 tps")).problem
    assert not preview_text(PatternRequest(pattern="", text="1,234 ops\n999 tps")).problem


@pytest.mark.parametrize(
    ("printed", "lines"),
    [(b"a\rb\r", [b"a", b"b", b""]), (b"a\r\nb", [b"a", b"b"]), (b"a\nb", [b"a", b"b"]), (b"a", [b"a"])],
)
def test_carriage_return_ends_a_line(printed, lines):
    assert split_lines(printed) == lines

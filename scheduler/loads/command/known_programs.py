"""Output lines of known benchmarks: a pattern per program.

The patterns are from the programs' sources or printed output.
"""

import re

import msgspec

NUMBER_PATTERN = r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?"
"""Pattern of a number in the output of C and Java programs in the locale C."""

_SI = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}


class KnownLine(msgspec.Struct, frozen=True):
    """Form of one kind of line.

    Attributes:
        program: Name of the program.
        pattern: Pattern with named groups as in a plan. `rate2` and `rate3` are added to the rate.
        per_s: Interval of the printed rate, in seconds: 60 for a rate per minute.
    """

    program: str
    pattern: re.Pattern[str]
    per_s: float = 1.0

    def find(self, line: str) -> dict[str, str | None] | None:
        """Return the named groups of a line; None for a line of another form."""
        match = self.pattern.search(line)
        if match is None:
            return None
        groups = match.groupdict()
        parts = [groups.pop(name, None) for name in ("rate", "rate2", "rate3")]
        if any(parts):
            rate = sum(_scale_number(part) for part in parts if part) / self.per_s
            groups["rate"] = repr(rate)
        return groups


def _scale_number(text: str) -> float:
    digits = text.rstrip("kKMG")
    return float(digits) * _SI[text[len(digits) :]]


def _known_line(program: str, pattern: str, per_s: float = 1.0) -> KnownLine:
    return KnownLine(program, re.compile(pattern.replace("<N>", NUMBER_PATTERN), re.ASCII), per_s)


KNOWN_LINES = (
    # report_intermediate of the scripts of sysbench 1.0 and 1.1. Version 0.5 prints `threads:` and `response time:`.
    _known_line(
        "sysbench",
        r"^\[ *[0-9.]+s ?\] (?:thds|threads): [0-9]+,? (?:tps|eps): (?P<rate><N>)"
        r"(?:.*? lat \(ms,(?:95%\): (?P<p95_ms><N>)|99%\): (?P<p99_ms><N>)|[0-9.]+%\)))?",
    ),
    _known_line(
        "pgbench",
        r"^progress: <N> s, (?P<rate><N>) tps(?:, lat (?P<latency_ms><N>|NaN) ms)?"
        r"(?: stddev [^ ,]+)?(?:, (?P<errors>[0-9]+) failed)?",
    ),
    _known_line(
        "memtier_benchmark",
        r"^\[RUN #[0-9]+ .*?threads.*?: +[0-9]+ ops, +(?P<rate><N>) \(avg: +\S+\) ops/sec"
        r"(?:, .*?, +(?P<latency_ms><N>) \(avg: +\S+\) msec latency)?",
    ),
    _known_line(
        "redis-benchmark or valkey-benchmark",
        r"\brps=(?P<rate><N>) \(overall: \S+\) avg_msec=(?P<latency_ms><N>|-?nan)",
    ),
    _known_line("YCSB", r"\b[0-9]+ sec: [0-9]+ operations; (?P<rate><N>) current ops/sec\b"),
    _known_line("go-ycsb", r"^TOTAL +- Takes\(s\): <N>, Count: (?P<total>[0-9]+), OPS:"),
    _known_line(
        "HammerDB",
        r"(?:^|[ >])(?P<rate>[0-9]+) (?:Oracle|MSSQLServer|SQL Server|Db2|MySQL|PostgreSQL|MariaDB|Redis) tpm$",
        60.0,
    ),
    _known_line(
        "go-tpc",
        r"^\[Current\] NEW_ORDER +- Takes\(s\): <N>, Count: [0-9]+, TPM: (?P<rate><N>)"
        r"(?:.*?, Avg\(ms\): (?P<latency_ms><N>))?(?:.*?, 50th\(ms\): (?P<p50_ms><N>))?"
        r"(?:.*?, 95th\(ms\): (?P<p95_ms><N>))?(?:.*?, 99th\(ms\): (?P<p99_ms><N>))?",
        60.0,
    ),
    _known_line("wrk", r"^Requests/sec: +(?P<rate><N>)$"),
    _known_line(
        "fio",
        r"^Jobs: [0-9]+ \(f=[^)]*\): .*\[[rwt]=(?P<rate><N>[kMG]?)(?:,[wt]=(?P<rate2><N>[kMG]?))?"
        r"(?:,t=(?P<rate3><N>[kMG]?))? IOPS\]",
    ),
    _known_line(
        "fio 2",
        r"^Jobs: [0-9]+ \(f=[^)]*\): .*\[(?P<rate><N>[kKMG]?)/(?P<rate2><N>[kKMG]?)/(?P<rate3><N>[kKMG]?) iops\]",
    ),
    _known_line(
        "tpcc-mysql",
        r"^ *[0-9]+, trx: (?P<count>[0-9]+), 95%: (?P<p95_ms><N>), 99%: (?P<p99_ms><N>), max_rt:",
    ),
)
"""Known lines in the order in which they are tried."""

CUMULATIVE_LINES = re.compile(
    r"Takes\(s\): |\bIOPS=\S+,? BW=|\brequests in [0-9.]+m?s\b|\ball test threads\b", re.ASCII
)
"""Lines of known programs to ignore: averages since the program's start, or figures of only one kind of operation."""

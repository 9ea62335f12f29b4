"""Generator of docs/reference/splits.md: the papers' splits in all schedulers."""

import sys
from collections.abc import Iterator
from pathlib import Path

from scheduler.errors import SpecError
from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import GUEST, IO, parse_split
from scheduler.shares.model_lookup import build_share_models
from scheduler.shares.rounding import MAX_ROUNDING_FRAC, TOTAL
from scheduler.shares.share_model import HostMachine, ShareModel

PERIODS_US = (20_000, 100_000)
_TITLES = {
    "cgroup-v1": "Control groups, version 1 (`local:`)",
    "cgroup-v2": "Control groups, version 2 (`local:`)",
    "credit": "Xen credit",
    "credit2": "Xen credit2",
    "rtds": "Xen RTDS",
    "sedf": "Xen SEDF, set by `xl` (whole milliseconds)",
    "sedf-xm": "Xen SEDF, set by `xm`",
    "qemu-v1": "libvirt QEMU, control groups version 1",
    "qemu-v2": "libvirt QEMU, control groups version 2",
    "qemu-emulator": "libvirt QEMU, the emulator's threads beside the vCPUs",
    "lxc-v1": "libvirt LXC, control groups version 1",
    "lxc-v2": "libvirt LXC, control groups version 2",
}
_HEAD = f"""# The paper's splits on every scheduler

`packaging/make_split_table.py` writes this page from the share models; a test compares. One vCPU per domain, a time
slice of 30 ms on credit. Caps hand out {float(TOTAL):.0%} of one CPU, on `local:` all of it; a ratio that is
more than {MAX_ROUNDING_FRAC:.0%} off after rounding is refused. RTDS and SEDF have no weights: what a domain leaves
there is divided in no ratio that can be set and read back. With * a warning is shown before the sweep.
[Why the I/O domain's floor warns at 10 % and refuses at 5 %](../decisions/0011-floor-of-the-io-domain.md).

| scheduler | weights | caps |
|---|---|---|
"""


def text() -> str:
    """Return the page."""
    known = build_share_models(HostMachine())
    overview = "".join(_overview(model) for model in known.values())
    return _HEAD + overview + "".join(part for model in known.values() for part in _parts(model))


def _overview(model: ShareModel) -> str:
    cells = [_count(model, mode) if mode in model.modes else "none" for mode in (Mode.WEIGHTS, Mode.CAPS)]
    return f"| {_TITLES[model.name]} | {' | '.join(cells)} |\n"


def _count(model: ShareModel, mode: Mode) -> str:
    counts = {us: sum(_row(model, mode, label, us)[1] for label in PAPER_SPLITS) for us in PERIODS_US}
    if len(set(counts.values())) == 1:
        return f"{counts[PERIODS_US[0]]} of {len(PAPER_SPLITS)}"
    return "; ".join(f"{count} of {len(PAPER_SPLITS)} at {us // 1000} ms" for us, count in counts.items())


def _parts(model: ShareModel) -> Iterator[str]:
    for mode in model.modes:
        rows = {us: [_row(model, mode, label, us)[0] for label in PAPER_SPLITS] for us in PERIODS_US}
        same = rows[PERIODS_US[0]] == rows[PERIODS_US[1]]
        for period_us in PERIODS_US[:1] if same else PERIODS_US:
            period = "" if same else f", period {period_us // 1000} ms"
            yield f"\n## {_TITLES[model.name]}: {mode.value}{period}\n\n"
            yield "| split | I/O domain | guest | becomes | off by | handed out |\n|---|---|---|---|---|---|\n"
            yield "".join(rows[period_us])


def _row(model: ShareModel, mode: Mode, label: str, period_us: int) -> tuple[str, bool]:
    """Return a row of the table, and True when the split can be set."""
    try:
        encoding = model.encode(parse_split(label), mode, period_us)
    except SpecError as error:
        return f"| {label} | refused: {error.problem} {error.hint} | | | | |\n", False
    params = (encoding.params[domain].words for domain in (IO, GUEST))
    ratio = float(encoding.achieved[IO] / encoding.achieved[GUEST])
    becomes = f"{ratio:.4g}:1" if ratio >= 1 else f"1:{1 / ratio:.4g}"
    together = "all" if mode is Mode.WEIGHTS else f"{encoding.total_frac:.1%}"
    low = " *" if encoding.warnings else ""
    return (
        f"| {label}{low} | {' | '.join(params)} | {becomes} | {encoding.rounding_error_frac:.2%} | {together} |\n",
        True,
    )


def main() -> int:
    """Write the page and print its path."""
    path = Path(__file__).resolve().parent.parent / "docs" / "reference" / "splits.md"
    path.write_text(text(), encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())

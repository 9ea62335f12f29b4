"""Generator of docs/reference/splits.md: the papers' splits in all schedulers."""

import sys
from collections.abc import Iterator
from pathlib import Path

from page_blocks import make_table

from scheduler.errors import SpecError
from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import parse_split
from scheduler.shares.model_lookup import build_share_models
from scheduler.shares.rounding import MAX_ROUNDING_FRAC, TOTAL
from scheduler.shares.share_model import HostMachine, ShareModel

PERIODS_US = (20_000, 100_000)
_WARNS = " \\*"
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
    "qemu-emulator": "libvirt QEMU, the emulator's threads next to the vCPUs",
    "lxc-v1": "libvirt LXC, control groups version 1",
    "lxc-v2": "libvirt LXC, control groups version 2",
}
_HEAD = f"""# The paper's splits on every scheduler

Use this page to see which of the paper's nine splits a host can set. You need the name of its scheduler, from
`domtune probe URL`. You get the rounding error of each split. For example, `0.7 %` at `2:5` means that the host can
only set a split within 0.7 % of `2:5`. `domtune run PLAN --dry-run` prints the exact parameters.

- **refused**: rounding would change the ratio by more than {MAX_ROUNDING_FRAC * 100:.0f} %, or a domain would get too
  little CPU.
- **\\***: DomTune warns before the sweep, for example because the I/O domain gets less than 10 % of the CPU. See
  [floor of the I/O domain](../decisions/0011-floor-of-the-io-domain.md).
- The table is for one vCPU per domain, and a time slice of 30 ms on credit. Caps allot {float(TOTAL) * 100:.0f} % of
  one CPU, on `local:` all of it. RTDS and SEDF have no weights.

`packaging/make_split_table.py` writes this page from the share models; a test compares.

"""


def text() -> str:
    """Return the page."""
    known = build_share_models(HostMachine())
    head = ("scheduler", "mode", *PAPER_SPLITS)
    return _HEAD + make_table(head, (row for model in known.values() for row in _list_rows(model)))


def _list_rows(model: ShareModel) -> Iterator[tuple[str, ...]]:
    for mode in model.modes:
        cells = {us: tuple(_cell(model, mode, label, us) for label in PAPER_SPLITS) for us in PERIODS_US}
        same = len(set(cells.values())) == 1
        for period_us in PERIODS_US[:1] if same else PERIODS_US:
            period = "" if same else f", period {period_us // 1000} ms"
            yield (_TITLES[model.name], f"{mode.value}{period}", *cells[period_us])


def _cell(model: ShareModel, mode: Mode, label: str, period_us: int) -> str:
    """Return the rounding error of a split, or `refused`."""
    try:
        encoding = model.encode(parse_split(label), mode, period_us)
    except SpecError:
        return "refused"
    return f"{encoding.rounding_error_frac * 100:.1f} %{_WARNS if encoding.warnings else ''}"


def main() -> int:
    """Write the page and print its path."""
    path = Path(__file__).resolve().parent.parent / "docs" / "reference" / "splits.md"
    path.write_text(text(), encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())

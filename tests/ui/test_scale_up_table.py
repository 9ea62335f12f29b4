"""What a scale-up study found, in the window's table."""

from app.panels.finding_table import shown
from app.panels.study_words import rates_title
from scheduler.model.findings import Filled, ScaleUpFinding, Size


def size(vcpus, ratio, ci95, filled):
    return Size(
        load="order-entry", unit="orders/s", vcpus=vcpus, mean_tps=1.0, ratio=ratio, ci95=ci95, blocks=6, filled=filled
    )


def test_that_each_number_of_vcpus_is_a_row_with_what_was_full():
    sizes = tuple(size(2**n, 1.0 + n, (0.9 + n, 1.1 + n) if n else None, filled) for n, filled in enumerate(Filled))
    title, note, table = shown(ScaleUpFinding(headline="", sizes=sizes))
    assert title
    assert note
    assert [row[:2] for row in table.rows] == [(2**n, 1.0 + n) for n in range(len(Filled))]
    assert table.rows[0][2] is None
    assert "1.90" in table.rows[1][2]
    assert len({row[-1] for row in table.rows}) == len(Filled)
    assert rates_title("scale-up") == "Throughput over vCPUs"

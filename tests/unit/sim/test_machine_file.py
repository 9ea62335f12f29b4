"""Laws of reading a machine's file that nobody wrote."""

import pytest

from scheduler.errors import SpecError
from scheduler.sim.machine_file import parse_machine


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b"", b'{"schema": "\xff"}'])
def test_it_is_one_error_with_the_files_name(body):
    with pytest.raises(SpecError, match=r"x\.json"):
        parse_machine(body, "x.json")

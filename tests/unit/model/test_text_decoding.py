"""Plans, machines and password files as editors of other systems save them."""

import pytest

from scheduler.databases.private_files import read_private_text
from scheduler.errors import SpecError
from scheduler.model.plan_file import read_plan_file
from scheduler.model.text_decoding import decode_text
from scheduler.sim.machine_file import parse_machine

PLAN = 'name = "Büro"\r\nhost = "sim:"\r\nsplits = ["1:1", "1:2"]\r\n'


@pytest.fixture
def plan(tmp_path):
    """Return a function that writes a plan's bytes and reads the plan."""

    def plan(body: bytes):
        path = tmp_path / "plan.toml"
        path.write_bytes(body)
        return read_plan_file(path)

    return plan


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_read_plan_saved_by_notepad_skips_the_byte_order_mark(plan, encoding):
    assert plan(PLAN.encode(encoding)).name == "Büro"


@pytest.mark.parametrize(
    ("body", "reason", "remedy"),
    [
        (PLAN.encode("utf-16"), "UTF-16", "UTF-8"),
        (PLAN.encode("utf-16-le"), "UTF-16", "UTF-8"),
        (PLAN.encode("utf-32"), "UTF-32", "UTF-8"),
        (PLAN.encode("latin-1"), r"line 1 is not UTF-8 \(byte 0xfc\)", "UTF-8"),
        (PLAN.replace("\r\n", "\r").encode(), "line 1 ends with a carriage return alone", "LF"),
        (b'host = "sim:"\nsplits = ["1:1"]\rseed = 1\n', "line 2 ends with a carriage return alone", "LF"),
        ('host = "sim:"\nname = “a”\n'.encode(), "not TOML", "Line 2 has the curly quote “"),
    ],
)
def test_read_plan_of_another_encoding_names_the_cause(plan, body, reason, remedy):
    with pytest.raises(SpecError, match=reason) as refused:
        plan(body)
    assert remedy in refused.value.hint


def test_read_plan_with_curly_quotes_inside_a_text_keeps_them(plan):
    assert plan('host = "sim:"\nname = "the “big” one"\n'.encode()).name == "the “big” one"


def test_decode_text_of_nothing_is_empty():
    assert decode_text(b"", "x") == ""


def test_parse_machine_saved_as_utf_16_names_the_encoding():
    with pytest.raises(SpecError, match="UTF-16"):
        parse_machine('{"format": 1}'.encode("utf-16"), "machine.json")


def test_private_text_skips_the_byte_order_mark(tmp_path):
    path = tmp_path / ".my.cnf"
    path.write_bytes(b"\xef\xbb\xbf[client]\r\npassword=x\r\n")
    path.chmod(0o600)
    assert read_private_text(path).startswith("[client]")

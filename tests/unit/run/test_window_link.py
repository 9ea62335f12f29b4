"""Laws of the wire: buttons are obeyed, a silent window holds nobody up, a window that is gone aborts."""

import io
import os
import time

import msgspec
import pytest

from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.codec import AbortRun, BeginRun, PauseRun, ResumeRun, decode_document, encode_line
from scheduler.model.documents import LoadSample, Notice
from scheduler.model.host_properties import Severity
from scheduler.run import window_link
from scheduler.run.control import AbortRequested, MonotonicClock, PauseRequested, RunControl
from tests.unit.run.conftest import SPEC


def control_after(*lines: bytes) -> RunControl:
    """Return the control as it is when all lines were read and the window is still there."""
    control = RunControl(MonotonicClock())
    for line in lines:
        window_link._carry_out_order(line, control)
    return control


def test_buttons_are_obeyed():
    with pytest.raises(PauseRequested):
        control_after(encode_line(PauseRun())).check()
    control_after(encode_line(PauseRun()), encode_line(ResumeRun())).check()
    with pytest.raises(AbortRequested):
        control_after(encode_line(AbortRun())).check()


def test_line_which_is_no_order_is_logged_and_changes_nothing(caplog):
    control_after(b"hello\n", b'{"$":"pause","x":\n', encode_line(BeginRun(SPEC))).check()
    assert "not understood" in caplog.text


def test_second_beginning_that_is_wrong_leaves_the_buttons_working(caplog):
    wrong = encode_line(BeginRun(SPEC)).replace(b'"osdb-ir"', b'"tpcx"')
    control = RunControl(MonotonicClock())
    window_link.listen_for_orders(io.BytesIO(wrong + encode_line(AbortRun())), control).join(5)
    with pytest.raises(AbortRequested, match="by the user"):
        control.check()
    assert "not understood" in caplog.text


@pytest.mark.parametrize(
    "strange",
    [b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"x" * (MOST_LINE_BYTES + 9) + b"\n"],
    ids=["bytes", "deep", "long"],
)
def test_line_of_any_kind_leaves_the_buttons_working(caplog, strange):
    control = RunControl(MonotonicClock())
    window_link.listen_for_orders(io.BytesIO(strange + encode_line(AbortRun())), control).join(30)
    with pytest.raises(AbortRequested, match="by the user"):
        control.check()
    assert "not understood" in caplog.text


@pytest.mark.parametrize("first", [b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"x" * (MOST_LINE_BYTES + 9), b"\n"])
def test_first_line_of_any_kind_is_reported_to_be_none(first):
    with pytest.raises(msgspec.MsgspecError):
        window_link.read_begin(io.BytesIO(first))


def test_end_of_its_input_is_an_abort():
    control = RunControl(MonotonicClock())
    window_link.listen_for_orders(io.BytesIO(b""), control).join(5)
    with pytest.raises(AbortRequested, match="window is gone"):
        control.check()


def test_first_line_must_begin_a_run():
    assert window_link.read_begin(io.BytesIO(encode_line(BeginRun(SPEC, {"a": "b"})))).spec == SPEC
    with pytest.raises(msgspec.ValidationError):
        window_link.read_begin(io.BytesIO(encode_line(PauseRun())))
    with pytest.raises(EOFError):
        window_link.read_begin(io.BytesIO(b""))


def test_beginning_never_shows_its_secrets():
    assert "hunter2" not in repr(BeginRun(SPEC, {"postgresql://x": "hunter2"}))


def test_documents_arrive_in_order():
    reading, writing = os.pipe()
    sender = window_link.DocumentSender(writing)
    sent = [Notice(t_s=float(i), level=Severity.INFO, text="x") for i in range(50)]
    for document in sent:
        sender.send(document)
    sender.close()
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert [decode_document(line) for line in pipe] == sent


def test_window_which_remains_still_costs_samples_but_no_time():
    reading, writing = os.pipe()
    sender = window_link.DocumentSender(writing)
    begin_s = time.monotonic()
    for i in range(5000):
        sender.send(LoadSample(t_s=float(i), trial=0, load="x", settling=False, throughput_tps=1.0))
    assert time.monotonic() - begin_s < 10
    os.close(reading)  # the window dies; what is queued is dropped, nobody hangs
    sender.close()
    os.close(writing)

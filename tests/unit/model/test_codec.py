import msgspec
import pytest

from scheduler.loads import user_messages
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.codec import AbortRun, BeginRun, PauseRun, ResumeRun, decode_document, decode_order, encode_line
from tests.data_maker import make_documents, make_spec


@pytest.mark.parametrize(
    "order", [BeginRun(make_spec(), {"postgresql://h/d": "secret"}, "run-1"), PauseRun(), ResumeRun(), AbortRun()]
)
def test_orders_survive_the_wire(order):
    line = encode_line(order)
    assert line.count(b"\n") == 1
    assert decode_order(line) == order


def test_every_kind_of_document_survives_the_wire():
    documents = make_documents(repeats=1)
    assert len({type(document) for document in documents}) >= 9
    assert [decode_document(encode_line(document)) for document in documents] == documents


def test_password_is_in_no_repr():
    begin = BeginRun(make_spec(), {"postgresql://h/d": "hunter2"})
    assert "hunter2" not in repr(begin) + str(begin)


@pytest.mark.parametrize("line", [b"", b"{}", b'{"$":"nonsense"}', b"[1]", b'{"$":"LoadSample"}', b"\xff"])
def test_line_which_is_no_document_is_refused(line):
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        decode_document(line)


def test_document_of_a_newer_program_can_be_read():
    line = encode_line(make_documents(trials=0)[-1]).replace(b'"restored"', b'"news":1,"restored"')
    assert decode_document(line) == make_documents(trials=0)[-1]


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"z":' + b"[" * 100_000,
        b'{"$":"' + b"x" * 100_000 + b'"}',
        b"x" * (MOST_LINE_BYTES + 1),
        b"",
        b"null",
        "\ud800",
    ],
    ids=["bytes", "deep", "deep in what is passed over", "long word", "long", "empty", "null", "surrogate"],
)
@pytest.mark.parametrize(
    "read", [decode_document, decode_order, user_messages.decode_order, user_messages.decode_answer]
)
def test_line_of_any_kind_is_one_error_in_few_words(read, line):
    """What it says goes into logs and messages; msgspec quotes all of what it does not know."""
    with pytest.raises(msgspec.DecodeError) as caught:
        read(line)
    assert len(str(caught.value)) < 400

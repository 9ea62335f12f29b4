import msgspec
import pytest

from scheduler.model.codec import Abort, Begin, Pause, Resume, to_document, to_line, to_order
from tests.data_maker import make_documents, make_spec


@pytest.mark.parametrize(
    "order", [Begin(make_spec(), {"postgresql://h/d": "secret"}, "run-1"), Pause(), Resume(), Abort()]
)
def test_that_orders_survive_the_wire(order):
    line = to_line(order)
    assert line.count(b"\n") == 1
    assert to_order(line) == order


def test_that_every_kind_of_document_survives_the_wire():
    documents = make_documents(repeats=1)
    assert len({type(document) for document in documents}) >= 9
    assert [to_document(to_line(document)) for document in documents] == documents


def test_that_a_password_is_in_no_repr():
    begin = Begin(make_spec(), {"postgresql://h/d": "hunter2"})
    assert "hunter2" not in repr(begin) + str(begin)


@pytest.mark.parametrize("line", [b"", b"{}", b'{"$":"nonsense"}', b"[1]", b'{"$":"LoadSample"}', b"\xff"])
def test_that_a_line_which_is_no_document_is_refused(line):
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        to_document(line)


def test_that_a_document_of_a_newer_program_can_be_read():
    line = to_line(make_documents(visits=0)[-1]).replace(b'"restored"', b'"news":1,"restored"')
    assert to_document(line) == make_documents(visits=0)[-1]

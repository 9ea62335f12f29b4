"""Laws of the lab's ports: the wanted one when it is free, else another, never one twice."""

import socket

from labs.xen import ports


def taken() -> tuple[socket.socket, int]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(1)
    return listener, listener.getsockname()[1]


def test_free_port_is_taken_as_wanted():
    listener, port = taken()
    listener.close()
    assert ports.choose_ports({"dom0": port}) == {"dom0": port}


def test_taken_port_is_replaced_by_a_free_one():
    listener, port = taken()
    with listener:
        chosen = ports.choose_ports({"dom0": port, "guest": port})
    assert port not in chosen.values()
    assert len(set(chosen.values())) == 2


def test_no_port_is_given_twice():
    listener, port = taken()
    listener.close()
    chosen = ports.choose_ports({"dom0": port, "guest": port, "postgresql": port})
    assert len(set(chosen.values())) == 3


def test_chosen_port_can_be_listened_on_at_once():
    [port] = ports.choose_ports({"dom0": 0}).values()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", port))
        listener.listen(1)


def test_every_port_leads_somewhere():
    assert ports.wanted_ports(2).keys() == ports.INSIDE.keys()
    assert ports.wanted_ports() == ports.WANTED

"""Notification of the desktop over the session bus.

Source of the method: Desktop Notifications Specification 1.2.
The message is encoded here: PySide6 cannot send the unsigned number in `Notify`, and a run in the background has no Qt.
Source of the encoding: D-Bus Specification, "Message Protocol" and "Authentication Protocol".
"""

import html
import os
import socket
import struct
import time
from collections.abc import Mapping
from urllib.parse import unquote

from scheduler.translation import _

_LIMIT_S = 3.0
_MOST_BYTES = 1 << 20
_SERVICE = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_BUS, _BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
_CALL, _RETURN, _ERROR = 1, 2, 3  # types of messages
_PATH_FIELD, _INTERFACE_FIELD, _MEMBER_FIELD, _SERVICE_FIELD, _SIGNATURE_FIELD = 1, 2, 3, 6, 8
_BUS_VARIABLES = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
_SERVERS_CHOICE = -1  # how long the notification stays


class NotificationFailed(Exception):
    """Error when no notification was shown.

    `str()` gives the reason as a sentence without a full stop.
    """


def notify_desktop(text: str, environment: Mapping[str, str] | None = None) -> None:
    """Show a notification of the desktop; takes three seconds at most.

    Args:
        text: One or two sentences.
        environment: Environment variables that name the session bus; None for those of this process.

    Raises:
        NotificationFailed: There is no session bus, or no notification service on it.
    """
    if environment is None:
        environment = {name: os.environ.get(name, "") for name in _BUS_VARIABLES}
    address = _find_bus(environment)
    if address is None:
        raise NotificationFailed(_("there is no session bus"))
    try:
        with socket.socket(socket.AF_UNIX) as wire:
            _send_notification(_Connection(wire, time.monotonic() + _LIMIT_S), address, text)
    except OSError as error:
        raise NotificationFailed(
            _("the session bus does not answer: {strerror}").format(strerror=error.strerror or error)
        ) from error


def _find_bus(environment: Mapping[str, str]) -> str | None:
    """Return the address of the session bus for a local socket; None without one."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    for entry in environment.get("DBUS_SESSION_BUS_ADDRESS", "").split(";"):
        kind, _, rest = entry.partition(":")
        keys = {key: value for key, _, value in (pair.partition("=") for pair in rest.split(","))}
        if kind == "unix" and "path" in keys:
            return unquote(keys["path"])
        if kind == "unix" and "abstract" in keys:
            return "\0" + unquote(keys["abstract"])
    path = os.path.join(environment.get("XDG_RUNTIME_DIR", ""), "bus")  # noqa: PTH118 - empty without the folder
    return path if path.startswith("/") and os.path.exists(path) else None  # noqa: PTH110


class _Connection:
    """Connection to a bus, with one deadline for all its waits.

    Args:
        wire: The socket.
        end_s: Deadline (`time.monotonic`).
    """

    def __init__(self, wire: socket.socket, end_s: float) -> None:
        self._wire, self._end_s = wire, end_s
        self._serial = 0

    def open(self, address: str) -> None:
        """Connect and log in as this account."""
        self._limit()
        self._wire.connect(address)
        self._wire.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        line = b""
        while not line.endswith(b"\n"):
            line += self._read(1)
        if not line.startswith(b"OK"):
            raise NotificationFailed(_("the session bus refused the login"))
        self._wire.sendall(b"BEGIN\r\n")

    def call(self, service: str, path: str, member: str, signature: str = "", body: bytes = b"") -> None:
        """Call a method of the interface with the service's name, and wait for its answer.

        Args:
            service: Name of the service and of the interface.
            path: Path of the object.
            member: Name of the method.
            signature: Types of the arguments.
            body: The encoded arguments.

        Raises:
            NotificationFailed: The answer is an error.
        """
        self._serial += 1
        self._limit()
        self._wire.sendall(_encode_call(self._serial, (service, path, member, signature), body))
        while (kind := self._read_message()) not in (_RETURN, _ERROR):
            pass  # a signal
        if kind == _ERROR:
            raise NotificationFailed(_("no program on the session bus answers to {member}").format(member=member))

    def _read_message(self) -> int:
        """Read one message; return its type."""
        head = self._read(16)
        order = "<" if head[:1] == b"l" else ">"
        body_bytes, _unused, field_bytes = struct.unpack(f"{order}III", head[4:])
        if body_bytes + field_bytes > _MOST_BYTES:
            raise NotificationFailed(_("the session bus sent too long a message"))
        self._read(field_bytes + -field_bytes % 8 + body_bytes)
        return head[1]

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            self._limit()
            piece = self._wire.recv(count - len(data))
            if not piece:
                raise NotificationFailed(_("the session bus closed the connection"))
            data += piece
        return data

    def _limit(self) -> None:
        self._wire.settimeout(max(0.001, self._end_s - time.monotonic()))


def _send_notification(bus: _Connection, address: str, text: str) -> None:
    bus.open(address)
    bus.call(_BUS, _BUS_PATH, "Hello")
    actions = b"\0\0\0\0"  # an empty array
    body = _pad(_string("DomTune"), 4) + struct.pack("<I", 0)  # replaces no other notification
    for part in ("domtune", "DomTune", html.escape(text, quote=False)):  # icon, title, text with markup
        body = _pad(body, 4) + _string(part)
    body = _pad(body, 4) + actions
    hint = _string("desktop-entry") + b"\1s\0"
    hint = _pad(hint, 4) + _string("domtune")
    body = _pad(body + struct.pack("<I", len(hint)), 8) + hint
    body = _pad(body, 4) + struct.pack("<i", _SERVERS_CHOICE)
    bus.call(_SERVICE, _PATH, "Notify", "susssasa{sv}i", body)


def _encode_call(serial: int, names: tuple[str, str, str, str], body: bytes) -> bytes:
    """Return a message that calls a method.

    Args:
        serial: Number of the message, >= 1.
        names: Service (and interface), path, method, and types of the arguments.
        body: The encoded arguments.
    """
    service, path, member, signature = names
    fields = b""
    for code, kind, value in (
        (_PATH_FIELD, b"o", path),
        (_INTERFACE_FIELD, b"s", service),
        (_MEMBER_FIELD, b"s", member),
        (_SERVICE_FIELD, b"s", service),
    ):
        fields = _pad(fields, 8) + bytes((code, 1)) + kind + b"\0" + _string(value)
    if signature:
        types = signature.encode()
        fields = _pad(fields, 8) + bytes((_SIGNATURE_FIELD, 1)) + b"g\0" + bytes((len(types),)) + types + b"\0"
    head = b"l" + bytes((_CALL, 0, 1)) + struct.pack("<III", len(body), serial, len(fields))
    return _pad(head + fields, 8) + body


def _string(text: str) -> bytes:
    data = text.replace("\0", "").encode("utf-8", "replace")
    return struct.pack("<I", len(data)) + data + b"\0"


def _pad(data: bytes, size: int) -> bytes:
    """Return the bytes, padded to a multiple of a size."""
    return data + bytes(-len(data) % size)

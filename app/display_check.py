"""Check for a display before Qt starts; Qt aborts without a display."""

import ctypes
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from app.qt_libraries import library_load_error, plugin_load_error
from scheduler.translation import _

_WAIT_S = 3.0
DISPLAY_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "QT_QPA_PLATFORM")
HINT = _("""\
- over ssh:            ssh -X THIS_COMPUTER domtune
- without a window:    domtune run PLAN
- all commands:        domtune --help""")


def no_display_reason(environment: Mapping[str, str]) -> str:
    """Return the reason why no window can be shown; empty if none is known.

    The reason is a sentence without a full stop.

    Args:
        environment: Those variables of `DISPLAY_VARIABLES` that are set.
    """
    if not sys.platform.startswith("linux"):
        return ""
    plugin = environment.get("QT_QPA_PLATFORM", "xcb").partition(":")[0]
    if plugin != "xcb":
        return plugin_load_error(plugin)
    name = environment.get("DISPLAY", "")
    if _wayland_answers(environment):
        why = plugin_load_error("wayland")
        if not (why and name):  # otherwise Qt also tries X
            return why
    if not name:
        return _("there is no display: neither DISPLAY nor WAYLAND_DISPLAY leads to one")
    return _no_x_reason(name)


def _wayland_answers(environment: Mapping[str, str]) -> bool:
    """Return True when a compositor listens on the Wayland socket.

    The socket is in XDG_RUNTIME_DIR unless its path is absolute (wayland(7)).
    """
    name, folder = environment.get("WAYLAND_DISPLAY", ""), environment.get("XDG_RUNTIME_DIR", "")
    if not name or (not folder and not name.startswith("/")) or "QT_QPA_PLATFORM" in environment:
        return False
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(_WAIT_S)
        return asking.connect_ex(os.fspath(Path(folder, name))) == 0


def _no_x_reason(name: str) -> str:
    why = plugin_load_error("xcb") or library_load_error(Path("libxcb.so.1"))
    if why:
        return why
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(name.encode(), None)
    refused = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return _("the display {name} does not answer, or does not let this account in").format(name=name) if refused else ""

"""Check for a screen of the platforms in QT_QPA_PLATFORM; Qt aborts without any."""

import os
from collections.abc import Mapping
from pathlib import Path

from app import display_check
from scheduler.translation import _

SCREEN_VARIABLES = (*display_check.DISPLAY_VARIABLES, "WAYLAND_SOCKET")
"""Environment variables that select the display of the window."""

_DEVICES = Path("/dev")
_KMS, _FRAMEBUFFER = "dri/card*", "fb[0-9]*"
_SCREENS: Mapping[str, tuple[str, ...]] = {
    "eglfs": (_KMS, _FRAMEBUFFER),
    "linuxfb": (_FRAMEBUFFER,),
    "vkkhrdisplay": (_KMS,),
}
"""Device files by platform that draws directly on a screen of this computer."""


def no_window_reason(environment: Mapping[str, str]) -> str:
    """Return the reason why no window can be shown; empty if none is known.

    The reason is a sentence without a full stop.

    Args:
        environment: Those variables of `SCREEN_VARIABLES` that are set.
    """
    names = platforms_of(environment.get("QT_QPA_PLATFORM", ""))
    rest = {name: value for name, value in environment.items() if name != "QT_QPA_PLATFORM"}
    if not names:
        return display_check.no_display_reason(rest)
    reasons = [_no_screen_reason(name, rest) for name in names]
    if "" in reasons:
        return ""
    causes = "; ".join(f"{name}: {why}" for name, why in zip(names, reasons, strict=True))
    return _("QT_QPA_PLATFORM names no platform that has a screen ({causes})").format(causes=causes)


def platforms_of(text: str) -> list[str]:
    """Return the platforms of a QT_QPA_PLATFORM value, with their arguments.

    Qt splits such a value at `;` and drops empty parts. Arguments follow a `:` (`init_platform` of QGuiApplication).
    """
    return [part for part in text.split(";") if part]


def _no_screen_reason(platform: str, environment: Mapping[str, str]) -> str:
    name = platform.partition(":")[0].lower()
    name = "wayland" if name.startswith("wayland-") else name
    if why := display_check.no_display_reason({**environment, "QT_QPA_PLATFORM": name}):
        return why
    if name == "wayland":
        return _no_wayland_reason(environment)
    devices = _SCREENS.get(name)
    if devices is None or any(_is_usable(path) for pattern in devices for path in _DEVICES.glob(pattern)):
        return ""
    return _("this account can use no screen of this computer, in /dev/dri or /dev/fb0")


def _no_wayland_reason(environment: Mapping[str, str]) -> str:
    if "WAYLAND_SOCKET" in environment:  # open connection from the compositor
        return ""
    # Default of libwayland (wl_display_connect).
    name = environment.get("WAYLAND_DISPLAY") or "wayland-0"
    alone = {"WAYLAND_DISPLAY": name, "XDG_RUNTIME_DIR": environment.get("XDG_RUNTIME_DIR", "")}
    if not display_check.no_display_reason(alone):
        return ""
    return _("no compositor answers as {name} in XDG_RUNTIME_DIR").format(name=name)


def _is_usable(device: Path) -> bool:
    return os.access(device, os.R_OK | os.W_OK)

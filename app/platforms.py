"""Find a screen for each platform that QT_QPA_PLATFORM lists: Qt aborts where none of them has one."""

import os
from collections.abc import Mapping
from pathlib import Path

from app import display_check

SCREEN_VARIABLES = (*display_check.DISPLAY_VARIABLES, "WAYLAND_SOCKET")
"""Environment variables that decide where the window is shown."""

_DEVICES = Path("/dev")
_KMS, _FRAMEBUFFER = "dri/card*", "fb[0-9]*"
_SCREENS: Mapping[str, tuple[str, ...]] = {
    "eglfs": (_KMS, _FRAMEBUFFER),
    "linuxfb": (_FRAMEBUFFER,),
    "vkkhrdisplay": (_KMS,),
}
"""Platform that draws on a screen of this computer by itself to the devices that such a screen has."""


def no_window_reason(environment: Mapping[str, str]) -> str:
    """Return why no window can be shown, as a sentence without a full stop; empty when one can, as far as is known.

    Args:
        environment: The variables of `NAMES` that are set.
    """
    names = platforms_of(environment.get("QT_QPA_PLATFORM", ""))
    rest = {name: value for name, value in environment.items() if name != "QT_QPA_PLATFORM"}
    if not names:
        return display_check.no_display_reason(rest)
    reasons = [_no_screen_reason(name, rest) for name in names]
    if "" in reasons:
        return ""
    causes = "; ".join(f"{name}: {why}" for name, why in zip(names, reasons, strict=True))
    return f"QT_QPA_PLATFORM names no platform that has a screen ({causes})"


def platforms_of(text: str) -> list[str]:
    """Return the platforms of a value of QT_QPA_PLATFORM, in order, with their arguments.

    Qt splits such a value at `;` and drops empty parts; arguments follow a `:` (`init_platform` of QGuiApplication).
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
    return "this account can use no screen of this computer, in /dev/dri or /dev/fb0"


def _no_wayland_reason(environment: Mapping[str, str]) -> str:
    if "WAYLAND_SOCKET" in environment:  # an open connection, handed over by the compositor
        return ""
    # libwayland's own default (wl_display_connect).
    name = environment.get("WAYLAND_DISPLAY") or "wayland-0"
    alone = {"WAYLAND_DISPLAY": name, "XDG_RUNTIME_DIR": environment.get("XDG_RUNTIME_DIR", "")}
    if not display_check.no_display_reason(alone):
        return ""
    return f"no compositor answers as {name} in XDG_RUNTIME_DIR"


def _is_usable(device: Path) -> bool:
    return os.access(device, os.R_OK | os.W_OK)

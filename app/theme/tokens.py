"""Design tokens: light and dark palette, spacing, corners and font sizes.

Colours with the suffix `_text` are darker versions for text on a light background. Every text colour has a contrast of
at least 4.5:1 on every background (WCAG 2.1, 1.4.3; tested). Okabe and Ito's colour-blind safe set contains the orange
of the I/O domain and the green of the guest. The records of load kinds have the colours of the loads
(`scheduler/model/load_looks.py`).
"""

from dataclasses import dataclass

# Spacing in device-independent pixels.
SPACE_XS = 4
SPACE_S = 8
SPACE_M = 12
SPACE_L = 16
SPACE_XL = 24
SPACE_XXL = 32

CORNER = 6

# Font sizes in points, at a text size of 100 %.
SIZE_BODY_PT = 10
SIZE_LEAD_PT = 12
SIZE_TITLE_PT = 16
SIZE_DISPLAY_PT = 22

ANIMATION_MS = 150


@dataclass(frozen=True, slots=True)
class Palette:
    """All colours of one appearance, as `#RRGGBB`.

    Attributes:
        dark: True for the dark appearance.
        surface: Background of a page.
        raised: Background of cards, inputs and dialogs.
        sunken: Background of rails, table headers and plain chips.
        hover: Background under the pointer.
        line: Thin lines and grids.
        edge: Borders of controls; contrast of at least 3:1 against `raised` (WCAG 2.1, 1.4.11).
        text: Text.
        dim: Captions and units.
        accent: Primary action, selection, the recommended split.
        accent_text: Accent for text and links.
        accent_soft: Background of a selection.
        on_accent: Text on `accent`.
        io: I/O domain; `io_text` for text.
        guest: Guest; `guest_text` for text.
        guest_2: Second guest, a darker green; `guest_2_text` for text.
        idle: Unused CPU.
        warn: Warnings; `warn_text` for text, `warn_soft` for backgrounds.
        danger: Errors and the restore banner; `danger_text` for text, `danger_soft` for backgrounds, `on_danger` for
            text on `danger`.
        good: Success; `good_text` for text, `good_soft` for backgrounds.
    """

    dark: bool
    surface: str
    raised: str
    sunken: str
    hover: str
    line: str
    edge: str
    text: str
    dim: str
    accent: str
    accent_text: str
    accent_soft: str
    on_accent: str
    io: str
    io_text: str
    guest: str
    guest_text: str
    guest_2: str
    guest_2_text: str
    idle: str
    warn: str
    warn_text: str
    warn_soft: str
    danger: str
    danger_text: str
    danger_soft: str
    on_danger: str
    banner: str
    on_banner: str
    good: str
    good_text: str
    good_soft: str


LIGHT = Palette(
    dark=False,
    surface="#FAFAF8",
    raised="#FFFFFF",
    sunken="#F1F1EE",
    hover="#ECECE8",
    line="#E2E2DC",
    edge="#8A8F98",
    text="#1B1D21",
    dim="#5E636B",
    accent="#0072B2",
    accent_text="#00639B",
    accent_soft="#E0EEF6",
    on_accent="#FFFFFF",
    io="#E69F00",
    io_text="#855600",
    guest="#009E73",
    guest_text="#006B4D",
    guest_2="#00573F",
    guest_2_text="#00573F",
    idle="#FFFFFF",
    warn="#B7791F",
    warn_text="#7D4F0E",
    warn_soft="#F6EFE4",
    danger="#B3261E",
    danger_text="#A3221B",
    danger_soft="#F7E9E8",
    on_danger="#FFFFFF",
    banner="#B3261E",
    on_banner="#FFFFFF",
    good="#009E73",
    good_text="#006B4D",
    good_soft="#E0F3EE",
)

DARK = Palette(
    dark=True,
    surface="#16181C",
    raised="#1E2127",
    sunken="#121417",
    hover="#282C33",
    line="#30343C",
    edge="#757C88",
    text="#ECEDEF",
    dim="#9AA0AA",
    accent="#56B4E9",
    accent_text="#6BBEEC",
    accent_soft="#22333F",
    on_accent="#0E1114",
    io="#E69F00",
    io_text="#EBAE2E",
    guest="#2FBF95",
    guest_text="#45CBA3",
    guest_2="#0E7A5B",
    guest_2_text="#7FD9BC",
    idle="#2A2E35",
    warn="#F0B429",
    warn_text="#F0B429",
    warn_soft="#332F24",
    danger="#F2777A",
    danger_text="#F58C8E",
    danger_soft="#35292D",
    on_danger="#16181C",
    banner="#8C1D18",  # dark red with light text, because a paler banner is easy to miss
    on_banner="#FFFFFF",
    good="#2FBF95",
    good_text="#45CBA3",
    good_soft="#1D3231",
)

BACKGROUNDS = ("surface", "raised", "sunken", "hover", "accent_soft", "warn_soft", "danger_soft", "good_soft")
TEXTS = (
    "text",
    "accent_text",
    "io_text",
    "guest_text",
    "guest_2_text",
    "warn_text",
    "danger_text",
    "good_text",
    "dim",
)
ON_PAIRS = (("on_accent", "accent"), ("on_danger", "danger"), ("on_banner", "banner"))

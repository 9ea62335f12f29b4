import pytest

from app.theme.tokens import BACKGROUNDS, DARK, LIGHT, ON_PAIRS, TEXTS, Palette
from scheduler.model.load_kinds import LOAD_KINDS
from tests.third_kind import third_kind


def _luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_is_readable_on_every_background(palette: Palette):
    texts = {name: getattr(palette, name) for name in (*TEXTS, *(text for text, _ in ON_PAIRS))}
    texts |= {kind.name: kind.colour.text_shade(dark=palette.dark) for kind in (*LOAD_KINDS.values(), third_kind())}
    pairs = [(text, back) for text in texts if not text.startswith("on_") for back in BACKGROUNDS]
    poor = {
        (text, back): round(ratio, 2)
        for text, back in [*pairs, *ON_PAIRS]
        if (ratio := contrast(texts[text], getattr(palette, back))) < 4.5
    }
    assert not poor


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_borders_of_controls_can_be_seen(palette: Palette):
    assert contrast(palette.edge, palette.raised) >= 3.0
    assert contrast(palette.accent, palette.raised) >= 3.0


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_two_guests_are_distinguished_without_their_hue(palette: Palette):
    assert contrast(palette.guest, palette.guest_2) >= 2.0
    assert contrast(palette.io, palette.guest_2) >= 2.0
    assert contrast(palette.raised, palette.guest_2) >= 3.0


def test_ruler_knows_black_from_white():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)

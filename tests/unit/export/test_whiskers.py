"""Intervals that leave a figure get a sign there."""

from scheduler.export.svg_chart import LinearScale, SvgDrawing


def drawn(ends):
    drawing = SvgDrawing(100, 100, "title")
    drawing.whisker(50, ends, LinearScale((0, 10), (90, 10)), "ir")
    return str(drawing.markup())


def test_whisker_within_the_scale_has_two_beams():
    picture = drawn((2, 8))
    assert picture.count("<line") == 3
    assert "<polygon" not in picture


def test_whisker_beyond_the_scale_ends_in_arrow_heads():
    assert drawn((2, 18)).count("<line") == 2
    assert 'points="46,16 54,16 50,10" class="dot cut ir"' in drawn((2, 18))
    assert 'points="46,84 54,84 50,90" class="dot cut ir"' in drawn((-2, 8))

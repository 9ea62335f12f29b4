"""Tests of the pages' pictures: each was made by packaging/make_doc_pictures.py, is small, and is shown."""

import json
import runpy
import struct
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
MADE = runpy.run_path(str(ROOT / "packaging" / "make_doc_pictures.py"))


def test_every_picture_of_a_scene_has_a_hash_of_its_texts() -> None:
    hashes = json.loads((IMAGES / "pictures.json").read_text(encoding="utf-8"))
    assert set(hashes) == set(MADE["SCENES"]) == {path.stem for path in IMAGES.glob("*.png")}


@pytest.mark.parametrize("name", MADE["SCENES"])
def test_picture_is_small_and_has_the_width_of_a_page(name: str) -> None:
    picture = (IMAGES / f"{name}.png").read_bytes()
    assert len(picture) <= MADE["MOST_BYTES"]
    assert struct.unpack(">I", picture[16:20]) == (MADE["WIDTH_PX"],)


@pytest.mark.parametrize("name", MADE["SCENES"])
def test_picture_is_shown_on_a_page(name: str) -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert any(f"images/{name}.png)" in page.read_text(encoding="utf-8") for page in pages)


def test_hash_ignores_numbers_but_no_word() -> None:
    hash_texts = MADE["hash_texts"]
    assert hash_texts("about 44 min\nStart") == hash_texts("about 7 min\nStart")
    assert hash_texts("about 44 min\nStart") != hash_texts("about 44 min\nBegin")


def test_hash_ignores_the_order_the_units_of_times_and_temporary_folders() -> None:
    hash_texts = MADE["hash_texts"]
    assert hash_texts("about 44 min\nStart") == hash_texts("Start\nabout 1 h 7 min")
    assert hash_texts("fake:/tmp/domtune-pictures-a_b/host.json") == hash_texts(
        "fake:/var/domtune-pictures-c/host.json"
    )


def test_hash_of_a_measured_scene_ignores_texts_with_figures() -> None:
    hash_scene = MADE["hash_scene"]
    assert hash_scene("result", "1:1 is best by 4 %\nWhy") == hash_scene("result", "No split gains 2 %\nWhy")
    assert hash_scene("result", "Why") != hash_scene("result", "Reasons")


def test_hash_ignores_the_preflight_of_this_computer() -> None:
    hash_texts = MADE["hash_texts"]
    checked = hash_texts("Check a&gain\nThe CPU is busy.\nComman&ds that follow")
    assert checked == hash_texts("Check a&gain\nChecking\nComman&ds that follow")

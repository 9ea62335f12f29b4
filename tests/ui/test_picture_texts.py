"""Pictures of the pages: the window still has the texts that each picture shows.

`packaging/make_doc_pictures.py --check` compares all scenes. These scenes need neither a sweep nor a look at this
computer.
"""

import json
import runpy
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.main_window import MainWindow
from app.settings import Settings

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
SCENES = ("first-start", "wizard-xen-key", "wizard-simulated-host")


@pytest.fixture(scope="module")
def pictures():
    """The scripts that make the pictures: their functions by name."""
    sys.path.insert(0, str(PACKAGING))
    try:
        scenes = runpy.run_path(str(PACKAGING / "screenshots.py"))
        return scenes | runpy.run_path(str(PACKAGING / "make_doc_pictures.py"))
    finally:
        sys.path.remove(str(PACKAGING))


@pytest.mark.parametrize("name", SCENES)
def test_scene_has_the_texts_of_its_picture(name: str, pictures, theme, qapp: QApplication, qtbot):
    window = MainWindow(theme, Settings())
    qtbot.addWidget(window)
    window.show()
    stage = pictures["Stage"](qapp, window)
    stage.wait(lambda: window.home.ready)
    shown = pictures["PAGES"][name](stage)
    shown.show()
    qapp.processEvents()
    found = pictures["hash_scene"](name, "\n".join(pictures["visible_texts"](shown)))
    stored = json.loads(pictures["HASHES"].read_text(encoding="utf-8"))
    assert found == stored[name], "the picture is older than its page: run packaging/make_doc_pictures.py"
    if shown is not window:
        shown.close()

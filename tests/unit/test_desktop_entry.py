"""Desktop entry and MIME type: a double click on a run file opens it in the window."""

import configparser
import re
from xml.etree import ElementTree

from scheduler.model.run_paths import RUN_FILE_SUFFIX
from tests.product_sources import ROOT

ENTRY, TYPES = ROOT / "packaging" / "domtune.desktop", ROOT / "packaging" / "domtune-run.xml"
MAIN = (ROOT / "app" / "__main__.py").read_text(encoding="utf-8")


def test_desktop_entry_opens_files_of_the_type_that_run_files_have():
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read_string(ENTRY.read_text(encoding="utf-8"))
    entry, root = parser["Desktop Entry"], ElementTree.parse(TYPES).getroot()
    space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    (kind,) = root.findall("m:mime-type", space)
    assert entry["MimeType"] == f"{kind.get('type')};"
    assert [each.get("pattern") for each in kind.findall("m:glob", space)] == [f"*{RUN_FILE_SUFFIX}"]
    assert entry["Exec"] == "domtune %F"


def test_desktop_entry_names_the_class_and_the_file_that_the_window_has():
    entry = ENTRY.read_text(encoding="utf-8")
    assert re.findall(r"^StartupWMClass=(.*)", entry, re.MULTILINE) == re.findall(r'setApplicationName\("(.*)"\)', MAIN)
    assert re.findall(r'setDesktopFileName\("(.*)"\)', MAIN) == [ENTRY.stem]

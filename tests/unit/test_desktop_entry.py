"""Desktop entry and MIME type: a double click on a run file opens it in the window."""

import argparse
import configparser
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scheduler.commands.desktop_command import desktop, list_places
from scheduler.errors import StoreError
from scheduler.model.run_paths import RUN_FILE_SUFFIX
from tests.product_sources import ROOT

DESKTOP = ROOT / "resources" / "desktop"
ENTRY, TYPES = DESKTOP / "domtune.desktop", DESKTOP / "domtune-run.xml"
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


def test_desktop_command_writes_and_removes_the_files_of_this_account(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert desktop(argparse.Namespace(action="install")) == 0
    paths = [tmp_path / place for place in list_places().values()]
    assert len(paths) == 3
    assert all(path.is_file() for path in paths)
    assert capsys.readouterr().out.splitlines() == [f"wrote {path}" for path in paths]
    entry = (tmp_path / "applications/domtune.desktop").read_text(encoding="utf-8")
    assert re.search(rf"^Exec={re.escape(str(Path(sys.executable).parent))}/\S+.* %F$", entry, re.MULTILINE)
    assert desktop(argparse.Namespace(action="uninstall")) == 0
    assert not any(path.exists() for path in paths)
    assert capsys.readouterr().out.splitlines() == [f"removed {path}" for path in paths]
    assert desktop(argparse.Namespace(action="uninstall")) == 0
    assert capsys.readouterr().out == "There is nothing to remove.\n"


def test_desktop_command_names_a_folder_that_it_cannot_write(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(StoreError, match="cannot be changed") as caught:
        desktop(argparse.Namespace(action="install"))
    assert "XDG_DATA_HOME" in caught.value.hint

"""Arguments that are no UTF-8 are refused once for all commands, in words and as an object."""

import json
import os

import pytest

from scheduler.commands.parser import main

ODD = os.fsdecode(b"x\xff")
COMMANDS = (
    *(["watch"], ["follow", "--yes", "--for", "1h"], ["runs"], ["run"], ["check-database"], ["export", "--to", "csv"]),
    *(["probe"], ["apply"], ["revert"], ["trust"], ["restore", "--forget"], ["try"], ["host-setup"]),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_undecodable_argument_is_refused_before_anything_is_done(words, capfd, tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        main([*words, ODD, "--json"])
    said = capfd.readouterr()
    assert ended.value.code == 2
    assert "is not UTF-8" in said.err
    assert "is not UTF-8" in json.loads(said.out)["error"]
    assert list(tmp_path.iterdir()) == []

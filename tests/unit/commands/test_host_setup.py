"""`domtune host-setup` writes a new folder and nothing else."""

import pytest


def test_it_writes_the_three_files_and_reports_what_to_do(call, tmp_path):
    folder = tmp_path / "new" / "setup"
    done = call("host-setup", "operator", "--out", str(folder))
    assert (done.code, done.err) == (0, "")
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == {
        "domtune-guard": 0o755,
        "install.sh": 0o755,
        "sudoers": 0o644,
    }
    assert "sh setup/install.sh" in done.out
    assert "operator ALL=(root) NOPASSWD: DOMTUNE" in (folder / "sudoers").read_text()


@pytest.mark.parametrize("account", ["root", "a b", "x;id"])
def test_name_that_is_no_account_exits_two_and_writes_nothing(call, tmp_path, account):
    done = call("host-setup", account, "--out", str(tmp_path / "new"))
    assert done.code == 2
    assert account in done.err
    assert not (tmp_path / "new").exists()


def test_existing_folder_is_left_alone(call, tmp_path):
    (tmp_path / "sudoers").write_text("mine")
    done = call("host-setup", "operator", "--out", str(tmp_path))
    assert done.code == 2
    assert (tmp_path / "sudoers").read_text() == "mine"

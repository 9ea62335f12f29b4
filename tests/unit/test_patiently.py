"""What `make setup` says while pip says nothing."""

import subprocess
from pathlib import Path

_PATIENTLY = Path(__file__).resolve().parents[2] / "packaging" / "patiently"


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [_PATIENTLY, str(folder), *command], capture_output=True, text=True, timeout=60, check=False, cwd=folder
    )


def test_long_command_is_reported_every_five_seconds_and_keeps_its_exit_code(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"x" * 3_000_000)

    done = _run(tmp_path, "sh", "-c", "sleep 5.5; exit 7")

    assert done.returncode == 7
    assert done.stderr == f"  5 s, 3 MB in {tmp_path} so far\n"


def test_short_command_is_not_held_up_and_nothing_is_reported(tmp_path: Path):
    done = _run(tmp_path, "echo", "done")  # ends with the pipe: what ticks beside it must not hold that

    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")

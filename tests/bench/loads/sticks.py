"""Where the programs are that nothing but these benches needs: installed, or unpacked once into `build/sticks`."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.loads.turn import Lacking

GO_TPC = "go-tpc 1.0.12"
MYSQLCLIENT = "mysqlclient-static==2.3.0.post3"  # the wheel that needs neither a compiler nor MariaDB's headers

_FOLDER = Path(__file__).resolve().parents[3] / "build" / "sticks"
_LONG_S = 600.0
_SYSBENCH = ("sysbench", "libluajit-5.1-2", "libluajit-5.1-common", "libmariadb3", "libpq5", "libaio1")


def go_tpc() -> Path:
    """Return go-tpc, which whoever wants the comparison has built; raises Lacking."""
    found = shutil.which("go-tpc", path=os.pathsep.join([str(_FOLDER), os.environ.get("PATH", os.defpath)]))
    if found is None:
        raise Lacking(f"{GO_TPC} is not installed: build it with Go, and put it into PATH or build/sticks")
    return Path(found)


def sysbench() -> tuple[Path, Mapping[str, str]]:
    """Return sysbench and the variables that it needs, Debian's package unpacked where it lacks; raises Lacking."""
    installed = shutil.which("sysbench")
    if installed is not None:
        return Path(installed), {}
    tree = _FOLDER / "sysbench"
    if not tree.exists():
        _unpacked(tree)
    libraries = os.pathsep.join(str(path) for path in tree.glob("usr/lib/*-linux-gnu*"))
    path, environment = tree / "usr/bin/sysbench", {"LD_LIBRARY_PATH": libraries}
    _run("sysbench", [str(path), "--version"], tree, environment)
    return path, environment


def mysqlclient() -> Path | None:
    """Return the folder with the users' fast driver, no dependency of ours; None where all find it; raises Lacking."""
    if importlib.util.find_spec("MySQLdb") is not None:
        return None
    folder = _FOLDER / f"{MYSQLCLIENT.replace('==', '-')}-{sys.version_info[0]}.{sys.version_info[1]}"
    if not folder.exists():
        fetched = folder.with_suffix(".new")
        words = ["pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(fetched)]
        _run("mysqlclient", [sys.executable, "-m", *words, MYSQLCLIENT], "/")
        fetched.rename(folder)
    return folder


def _unpacked(tree: Path) -> None:
    """Unpack Debian's package and the libraries that it names, installing nothing."""
    apt, dpkg = shutil.which("apt-get"), shutil.which("dpkg")
    if apt is None or dpkg is None:
        raise Lacking("sysbench is not installed, and cannot be had from Debian here")
    new = tree.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    _run("sysbench", [apt, "download", *_SYSBENCH], new)
    for package in sorted(new.glob("*.deb")):
        _run("sysbench", [dpkg, "-x", package.name, "."], new)
        package.unlink()
    new.rename(tree)


def _run(what: str, words: Sequence[str], folder: Path | str, environment: Mapping[str, str] | None = None) -> str:
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LONG_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Lacking(f"{what} cannot be had: {error}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise Lacking(f"{what} cannot be had: {Path(words[0]).name} said {said[0] if said else 'nothing'}")
    return done.stdout

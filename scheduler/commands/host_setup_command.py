"""`domtune host-setup`: write files for sweeping a Xen host without root."""

import argparse
from pathlib import Path

from scheduler.commands.command_output import print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.errors import SpecError
from scheduler.hosts.remote.guard_helper import setup_files
from scheduler.translation import _

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
            "out",
            _("{folder} cannot be written: {strerror}").format(folder=folder, strerror=error.strerror),
            hint=_("Name a folder that does not exist yet: --out"),
        ) from error
    print_lines(
        _("Wrote {files} to {folder}. Read them, copy the folder to the host, and there, as root:").format(
            files=", ".join(sorted(files)), folder=folder
        ),
        f"  sh {folder.name}/install.sh",
        _("Then {account} may look at the host, set its domains' scheduler parameters and").format(
            account=arguments.account
        ),
        _("its guests' number of vCPUs, and nothing else."),
    )
    return ExitCode.DONE

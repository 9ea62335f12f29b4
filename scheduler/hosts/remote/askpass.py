"""Passwords for ssh, kept out of arguments, files and logs.

ssh runs the program named by SSH_ASKPASS. DomTune's program prints a variable of ssh's own environment. The program
answers only questions for a passphrase, or for the password of the target host: a jump host of any name gets no answer.
ssh shows a server's question after `(USER@HOST) ` (since OpenSSH 8.5); only that beginning is ssh's own.
"""

import os
from collections.abc import Collection
from pathlib import Path

from scheduler import places
from scheduler.children import environment_without_secrets

SECRET = places.SSH_PASSWORD
_NAMES = "DOMTUNE_SSH_NAMES"

_ANSWER = f"""#!/bin/sh
# Answers ssh's questions for a password or a passphrase, nothing else.
asked=''
case "$1" in
    *yes/no*|*ingerprint*) exit 1 ;;
    "("*@*") "*assword*|"("*@*") "*assphrase*) asked=${{1#?}} asked=${{asked%%") "*}} ;; # what follows is the server's
    "("*) exit 1 ;;
    "Enter passphrase for "*) printf '%s\\n' "${SECRET}"; exit 0 ;;
    *@*"'s password: ") asked=${{1%"'s password: "}} ;;
    *) exit 1 ;;
esac
set -f
for name in ${_NAMES}; do
    [ "${{asked##*@}}" != "$name" ] || {{ printf '%s\\n' "${SECRET}"; exit 0; }}
done
exit 1
"""


def given_secret() -> str:
    """Return the password or passphrase from the environment; empty for none."""
    return os.environ.get(SECRET, "")


def quiet_environment() -> dict[str, str]:
    """Return an environment in which ssh asks no question."""
    return {**environment_without_secrets(), "SSH_ASKPASS_REQUIRE": "never"}


def asking_environment(folder: Path, secret: str, names: Collection[str]) -> dict[str, str]:
    """Return an environment in which ssh asks DomTune's program.

    Args:
        folder: Private folder for the program, which does not contain the secret.
        secret: The password or passphrase.
        names: Names that ssh may use for the host in its question.
    """
    program = folder / "askpass"
    program.write_text(_ANSWER)
    program.chmod(0o700)
    return {
        "DISPLAY": "none:0",  # before OpenSSH 8.4, ssh runs the program only with a display
        **environment_without_secrets(),
        "SSH_ASKPASS": str(program),
        "SSH_ASKPASS_REQUIRE": "force",
        SECRET: secret,
        _NAMES: " ".join(name for name in names if name),
    }

"""A given password, handed to ssh without ever standing in an argument, a file or a log.

ssh asks the program named by SSH_ASKPASS. Ours answers with a variable of ssh's own environment, and only questions
for a passphrase or for the password of the very host that we go to: a jump host on the way gets nothing, whatever it
is called. What a server asks, ssh shows after `(USER@HOST) ` (since OpenSSH 8.5); only that beginning is ssh's own.
"""

import os
from collections.abc import Collection
from pathlib import Path

from scheduler.children import environment_without_secrets

SECRET = "DOMTUNE_SSH_PASSWORD"
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
    """Return the password or passphrase that a script gave in the environment; empty when it gave none."""
    return os.environ.get(SECRET, "")


def quiet_environment() -> dict[str, str]:
    """Return an environment in which ssh asks nobody."""
    return {**environment_without_secrets(), "SSH_ASKPASS_REQUIRE": "never"}


def asking_environment(folder: Path, secret: str, names: Collection[str]) -> dict[str, str]:
    """Return an environment in which ssh asks us.

    Args:
        folder: A private folder; the program that answers is put there, the secret is not.
        secret: The password or passphrase.
        names: What ssh may call the host in its question.
    """
    program = folder / "askpass"
    program.write_text(_ANSWER)
    program.chmod(0o700)
    return {
        "DISPLAY": "none:0",  # before OpenSSH 8.4 it asks a program only when there is a display
        **environment_without_secrets(),
        "SSH_ASKPASS": str(program),
        "SSH_ASKPASS_REQUIRE": "force",
        SECRET: secret,
        _NAMES: " ".join(name for name in names if name),
    }

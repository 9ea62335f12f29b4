"""A password in memory gets into no core file, and no other process of the account reads it."""

import os
import subprocess

from scheduler.children import python_module
from scheduler.commands import memory_protection
from scheduler.commands.arguments import build_parser


def test_waiting_core_leaves_no_core_file_and_cannot_be_looked_into(tmp_path):
    environment = {**os.environ, "DOMTUNE_HOME": str(tmp_path)}
    text = (
        "import ctypes, resource, sys\n"
        "from scheduler.commands.parser import main\n"
        "resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)[1:] * 2)\n"
        "main(['check-database', 'nonsense'])\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE)[0])\n"
    )
    words = [*python_module("scheduler")[:2], "-c", text]
    done = subprocess.run(words, input="", capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert done.stdout.split()[-2:] == ["0", "0"], done.stderr


def test_every_word_that_may_be_given_a_password_closes_its_memory():
    """The others open no host and no database."""
    every = set(build_parser(internal=True)._subparsers._group_actions[0].choices)
    assert every - memory_protection._WITH_PASSWORDS == {
        "runs",
        "import",
        "export",
        "class",
        "desktop",
        "host-setup",
        "lab",
        "understand",
    }

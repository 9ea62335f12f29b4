"""Skip or fail where a test lacks something: as root nothing may be lacking, for `make setup` installs all packages."""

import os
from typing import NoReturn

import pytest


def lacking(reason: str) -> NoReturn:
    """Skip for an account that could not have it; fail as root, or a broken set-up would pass unseen."""
    if os.geteuid() == 0:
        pytest.fail(f"{reason}; this is root, so it should be there")
    pytest.skip(reason)

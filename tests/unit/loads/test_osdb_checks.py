"""The database must hold what the users say: exactly as many additions as they counted, and nothing else."""

import msgspec
import pytest

from scheduler.loads.base import LoadCheck
from scheduler.loads.orders import Totals
from scheduler.loads.osdb.checks import after_users, loaded_state

FOUND = loaded_state(2000)


def check(kind: str, said: int, grown: int) -> LoadCheck:
    held = msgspec.structs.replace(FOUND, signed=FOUND.signed + grown)
    return after_users(kind, FOUND, held, Totals(tuples=said, misses=0, retries=0))


def test_that_what_the_users_committed_is_in_the_table():
    assert check("osdb-oltp", said=10, grown=10).passed
    assert check("osdb-ir", said=10, grown=0).passed


@pytest.mark.parametrize(("kind", "grown"), [("osdb-oltp", 9), ("osdb-oltp", 11), ("osdb-oltp", 0), ("osdb-ir", 10)])
def test_that_one_more_or_less_in_the_table_fails_the_check(kind, grown):
    found = check(kind, 10, grown)
    assert not found.passed
    assert f"should have grown by {10 if kind == 'osdb-oltp' else 0}" in found.text

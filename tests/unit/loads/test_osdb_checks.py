"""The database must hold what the users say: exactly as many additions as they counted, and nothing else."""

import msgspec
import pytest

from scheduler.loads.load_protocols import LoadCheck
from scheduler.loads.osdb.osdb_checks import check_sums, sums_when_loaded
from scheduler.loads.user_messages import UserTotals

FOUND = sums_when_loaded(2000)


def check(kind: str, said: int, grown: int) -> LoadCheck:
    held = msgspec.structs.replace(FOUND, signed=FOUND.signed + grown)
    return check_sums(kind, FOUND, held, UserTotals(tuples=said, misses=0, retries=0))


def test_what_the_users_committed_is_in_the_table():
    assert check("osdb-oltp", said=10, grown=10).passed
    assert check("osdb-ir", said=10, grown=0).passed


@pytest.mark.parametrize(("kind", "grown"), [("osdb-oltp", 9), ("osdb-oltp", 11), ("osdb-oltp", 0), ("osdb-ir", 10)])
def test_one_more_or_less_in_the_table_fails_the_check(kind, grown):
    found = check(kind, 10, grown)
    assert not found.passed
    assert f"should have grown by {10 if kind == 'osdb-oltp' else 0}" in found.text

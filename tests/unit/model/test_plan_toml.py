"""Plans as TOML: the written text means the same to the standard library's reader."""

import tomllib

from hypothesis import example, given, settings
from hypothesis import strategies as st

from scheduler.model.plan_toml import write_toml
from tests.volume import times

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.one_of(
    TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False)
)
LEAVES = st.one_of(VALUES, st.lists(VALUES, max_size=3))
TABLES = st.recursive(
    st.dictionaries(TEXTS, LEAVES, max_size=3),
    lambda inner: st.dictionaries(TEXTS, st.one_of(LEAVES, inner, st.lists(inner, min_size=1, max_size=2)), max_size=3),
    max_leaves=6,
)


@settings(max_examples=times(20, 60))
@given(TABLES)
@example({"name": 'a\x7f\x00\r\n\t"\\', "load": [{"kind": "x"}, {}], "weights": {"noon/osdb-ir": 1e22}})
def test_write_toml_is_read_back_as_the_same_table(table: dict[str, object]):
    assert tomllib.loads(write_toml(table)) == table


def test_write_toml_puts_values_before_tables_and_lists_on_one_line():
    table = {"load": [{"kind": "osdb-ir"}], "splits": ["1:1", "1:2"], "objective": {"weights": {"a/b": 1}, "name": "x"}}
    assert write_toml(table).splitlines() == [
        'splits = ["1:1", "1:2"]',
        *("", "[[load]]", 'kind = "osdb-ir"'),
        *("", "[objective]", 'name = "x"'),
        *("", "[objective.weights]", '"a/b" = 1'),
    ]

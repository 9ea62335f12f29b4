"""The commands that a bundle names are those that a sweep gives: the script's grammar and the adapter's are one."""

import pytest

from scheduler.export.bundle_dialects import xen_commands
from scheduler.hosts.xen.grammar_lookup import find_grammar
from scheduler.hosts.xen.xen_tool import XenTool
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import PAPER_SPLITS
from scheduler.shares.model_lookup import find_share_model


@pytest.mark.parametrize(
    ("scheduler", "version"),
    [
        ("credit", (4, 1)),
        ("credit", (4, 17)),
        ("credit2", (4, 10)),
        ("rtds", (4, 7)),
        ("rtds", (4, 17)),
        ("sedf", (4, 5)),
        ("sedf-xm", (4, 1)),
    ],
)
def test_that_a_bundle_names_the_commands_of_a_sweep(scheduler, version):
    name = "xm" if scheduler == "sedf-xm" else "xl"
    tool, grammar = XenTool((name,), name, version), find_grammar(scheduler.removesuffix("-xm"))
    model = find_share_model(scheduler)
    for mode in model.modes:
        for label in (*PAPER_SPLITS, "3:7", "11:7"):
            for params in model.encode(parse_split_setting(label).split, mode, 100_000).params.values():
                typed = [" ".join(step) for step in grammar.steps(tool, "0", params, 1)]
                assert xen_commands(scheduler, params, "0", extratime=version >= (4, 10)) == typed

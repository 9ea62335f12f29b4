"""Text is read as a split only where a person or a file spells one; everywhere else a setting is a value."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READS = re.compile(r"\bparse_(?:\w+_)?(?:split|setting)(?:_setting)?\(|\baxis_setting\(|\.label\.(?:split|partition)\(")
DEFINES = {"scheduler/model/split.py", "scheduler/model/setting.py"}
BORDERS = {
    "scheduler/lessons/lesson_check.py": "the split of a finding",
    "scheduler/model/study_spec.py": "plan files",
    "scheduler/studies/dom0_cpus/declaration.py": "presets of the plan",
    "scheduler/sim/machine.py": "machine files",
    "scheduler/sim/own_load.py": "options of a sim: URL",
    "scheduler/hosts/sim.py": "options of a sim: URL",
    "scheduler/commands/apply_command.py": "--split",
    "scheduler/commands/export_command.py": "--split",
    "scheduler/commands/follow_command.py": "--static",
    "scheduler/follow/move_decision.py": "--range",
    "app/observe/observation_request.py": "the form of following",
    "app/lessons/check_card.py": "the prediction of a lesson",
    "scheduler/lessons/lesson_files.py": "the prediction of a lesson",
    "app/wizard/split_editor.py": "the field for another split",
    "app/wizard/split_rows.py": "splits of a form",
    "app/wizard/split_scale.py": "splits of a form",
    "app/wizard/split_axis.py": "splits of a form",
    "app/wizard/varied_texts.py": "splits of a form",
    "app/pages/applied_bar.py": "the answer of domtune apply",
}
"""Module to the text that it reads."""


def test_only_borders_read_a_setting_or_split_from_text():
    paths = [path for folder in ("app", "scheduler") for path in (ROOT / folder).rglob("*.py")]
    found = {str(path.relative_to(ROOT)) for path in paths if READS.search(path.read_text(encoding="utf-8"))}
    assert found - DEFINES == set(BORDERS)

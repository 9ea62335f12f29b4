"""Bound the modules that a plan passes between the command line and the first trial."""

import sys
from pathlib import Path
from types import FrameType

import scheduler
from scheduler.commands.sweep import SweepRequest
from scheduler.model.documents import TrialStarted
from scheduler.model.spec import RunSpec

MOST_MODULES, MOST_RETURNS = 20, 10
PLAN_MODULE = "model/spec.py"  # its own methods read the plan and do not pass it on
ROOT = f"{Path(scheduler.__file__).parent}/"


class PlanTracer:
    """Record the modules whose functions get the plan, or the request with the plan, until the first trial begins."""

    def __init__(self) -> None:
        self.modules: list[str] = []  # without repetition of neighbours
        self.began = False

    def note_call(self, frame: FrameType, event: str, _argument: object) -> None:
        """Take one event of `sys.setprofile`."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(ROOT):
            return
        count = code.co_argcount + code.co_kwonlyargcount
        values = [frame.f_locals.get(name) for name in code.co_varnames[:count]]
        if any(isinstance(value, TrialStarted) for value in values):
            self.began = True
            sys.setprofile(None)
        module = code.co_filename.removeprefix(ROOT)
        passed = any(isinstance(value, RunSpec | SweepRequest) for value in values) and module != PLAN_MODULE
        if passed and self.modules[-1:] != [module]:
            self.modules.append(module)


def test_run_passes_plan_through_few_modules_before_the_first_trial(call, plan):
    path = plan(host='host = "sim:"', windows='protocol = "quick"\nlimit_min = 5')
    tracer = PlanTracer()
    sys.setprofile(tracer.note_call)
    try:
        done = call("run", path, "--quiet")
    finally:
        sys.setprofile(None)
    assert (done.code, tracer.began) == (0, True), done.err
    assert {"commands/run_command.py", "commands/sweep.py", "studies/split/plan.py"} <= set(tracer.modules)
    modules = len(set(tracer.modules))
    assert modules <= MOST_MODULES, tracer.modules
    assert len(tracer.modules) - modules <= MOST_RETURNS, tracer.modules

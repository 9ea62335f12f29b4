"""Laws of `persist --undo` before any host is asked: what it cannot trust, it does not write."""

import time

from scheduler.run.journal import UndoJournal, UndoRecord

UUID = "4f1b7a52-7a77-4dcb-9f4f-6a0f4e4b6c11"


def test_record_of_what_was_kept_that_reports_something_else_is_refused_and_stays(call, plan, home):
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    record = UndoJournal(home / "state" / "kept", UUID)
    url = f"fake:{home / 'host.json'}"
    for before in ("null", "7", '["weight"]', '{"weight": 128}', "{"):
        context = {"before": before, "after": "{}"}
        record.arm(
            UndoRecord(host_url=url, host_id=UUID, context=context, originals={}, armed_unix_s=time.time(), pid=1)
        )
        refused = call("persist", run_id, "--undo", "--json")
        assert refused.code == 1, before
        assert f"the record of {UUID} does not say what was kept before" in refused.json["error"]
        assert record.path.exists()

"""A record that has outlived its groups, by a reboot or because they were removed, touches nothing of others."""

import subprocess
from pathlib import Path

import msgspec
import pytest

from scheduler import places
from scheduler.commands.applied_splits import find_applied_split
from scheduler.commands.apply_command import _write_split
from scheduler.commands.revert_command import _revert_split
from scheduler.errors import ForeignValue
from scheduler.export.bundle import write_bundle
from scheduler.export.material import ExportMaterial
from scheduler.hosts.host_registry import open_host, reopen_host
from scheduler.hosts.local.cgroup_paths import PARENT, group_folder
from scheduler.hosts.local.stale_records import boot_id, is_stale
from scheduler.model.decision import SweepPurpose
from scheduler.model.spec import Mode
from scheduler.run.journal import UndoJournal
from scheduler.run.restore import restore_originals
from scheduler.stats.results import summarise_run
from tests.contract.host_contract import DOMAINS, Opened
from tests.contract.local.subject import URL, baseline, set_all
from tests.data_maker import make_documents, make_spec


@pytest.fixture
def opened(made_by_us, subject):
    opened = Opened(subject)
    yield opened
    for domain in DOMAINS:
        opened.host.write(domain, None)
    opened.host.close()
    assert subject.snapshot() == opened.before


def apply(params):
    host = open_host(URL, lambda *_: None)
    try:
        _write_split(host, URL, params)
        return host.facts().host_id
    finally:
        host.close()


def remove(place):
    for domain in DOMAINS:
        group_folder(place.cpu, domain).rmdir()
    Path(place.cpu, PARENT).rmdir()


def own_groups(opened, params):
    set_all(opened, params)
    opened.host.close()  # others may take the folder


def test_revert_removes_no_group_that_apply_did_not_make(opened, place):
    split, theirs, other = (opened.encodings(Mode.CAPS)[number] for number in (1, 2, 3))
    host_id = apply(split)
    assert find_applied_split(host_id) is not None
    remove(place)
    assert find_applied_split(host_id) is None
    own_groups(opened, theirs)
    apply(other)
    assert _revert_split(URL, dry_run=False).done
    assert {domain: opened.host.read(domain) for domain in DOMAINS} == theirs
    assert not UndoJournal(places.applied_dir(), host_id).files()


@pytest.mark.parametrize("reboot", [False, True])
def test_revert_after_the_loss_reports_it_and_leaves_what_remains_there_now(opened, place, reboot):
    split, theirs = (opened.encodings(Mode.CAPS)[number] for number in (1, 2))
    host_id = apply(split)
    record = UndoJournal(places.applied_dir(), host_id)
    if reboot:  # as of another boot, whatever the numbers of its folders
        undo = record.read()
        record.arm(msgspec.structs.replace(undo, context={**undo.context, "boot": "0" * 36}))
    remove(place)
    own_groups(opened, theirs)
    for dry_run in (True, False):
        said = _revert_split(URL, dry_run=dry_run)
        assert "is not set any more" in said.remark
        assert said.changes == ()
    assert {domain: opened.host.read(domain) for domain in DOMAINS} == theirs
    assert not record.files()


def test_record_of_a_sweep_before_a_reboot_is_done_with(opened, place):
    context = {**opened.host.context(), "boot": "0" * 36}
    set_all(opened, baseline(opened))
    restore_originals(reopen_host(URL, context, lambda *_: None), dict.fromkeys(DOMAINS))
    assert all(Path(place.cpu, PARENT, domain).is_dir() for domain in DOMAINS)


def test_record_of_this_boot_whose_groups_exist_is_not_outlived(opened):
    context = dict(opened.host.context())
    assert context["boot"] == boot_id()
    set_all(opened, baseline(opened))
    assert not is_stale(context | opened.host.creation_context())
    assert not is_stale({name: text for name, text in context.items() if name != "boot"})  # of an earlier version
    assert not is_stale(context, now="")


def test_bundle_on_top_of_apply_is_undone_before_revert(opened, place, tmp_path, monkeypatch):
    """With the real scripts: rollback.sh below a revert would set the split of `apply` again."""
    monkeypatch.setenv("DOMTUNE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("DOMTUNE_CGROUP_BASE", str(place.cpu))
    first = opened.encodings(Mode.CAPS)[2]
    apply(first)
    export_bundle(opened.host.facts(), tmp_path / "bundle", place)
    subprocess.run([tmp_path / "bundle/apply.sh"], check=True, timeout=30)
    second = {domain: opened.host.read(domain) for domain in DOMAINS}
    assert second != first
    for dry_run in (True, False):
        with pytest.raises(ForeignValue, match=r"the bundle from run .*, split 1:2 was applied") as refused:
            _revert_split(URL, dry_run=dry_run)
        assert "run rollback.sh of that bundle first" in refused.value.hint
    assert {domain: opened.host.read(domain) for domain in DOMAINS} == second
    subprocess.run([tmp_path / "bundle/rollback.sh"], check=True, timeout=30)
    assert {domain: opened.host.read(domain) for domain in DOMAINS} == first
    assert _revert_split(URL, dry_run=False).done
    assert {domain: opened.host.read(domain) for domain in DOMAINS} == dict.fromkeys(DOMAINS)


def export_bundle(facts, folder, place):
    """Write the bundle of a sweep of this host that orders 1:2, for DomTune's own groups."""
    groups = {domain: str(group_folder(place.cpu, domain).relative_to(place.cpu)) for domain in DOMAINS}
    domains = tuple(msgspec.structs.replace(each, name=groups[each.id]) for each in facts.domains)
    facts = msgspec.structs.replace(facts, domains=domains)
    spec = make_spec(splits=("1:2", "1:10"), purpose=SweepPurpose.DIVIDE)
    documents = make_documents(spec=spec, facts=facts, samples=False)
    write_bundle(ExportMaterial(summarise_run(documents), spec, facts), folder)

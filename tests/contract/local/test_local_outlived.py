"""A record that has outlived its groups, by a reboot or because they were removed, touches nothing of others."""

from pathlib import Path

import msgspec
import pytest

from scheduler import places
from scheduler.commands.applied import applied_to
from scheduler.commands.applying import _write
from scheduler.commands.reverting import _revert
from scheduler.hosts.local.outlived import boot_id, outlived
from scheduler.hosts.local.place import PARENT, group
from scheduler.hosts.registry import open_host, reopen_host
from scheduler.model.spec import Mode
from scheduler.run.journal import Journal
from scheduler.run.putting_back import put_back
from tests.contract.host_contract import DOMAINS, Opened
from tests.contract.local.subject import URL, baseline, set_all


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
        _write(host, URL, params)
        return host.facts().host_id
    finally:
        host.close()


def remove(place):
    for domain in DOMAINS:
        group(place.cpu, domain).rmdir()
    Path(place.cpu, PARENT).rmdir()


def own_groups(opened, params):
    set_all(opened, params)
    opened.host.close()  # others may take the folder


def test_that_revert_removes_no_group_that_apply_did_not_make(opened, place):
    split, theirs, other = (opened.encodings(Mode.PARTITION)[number] for number in (1, 2, 3))
    host_id = apply(split)
    assert applied_to(host_id) is not None
    remove(place)
    assert applied_to(host_id) is None
    own_groups(opened, theirs)
    apply(other)
    assert _revert(URL, dry_run=False).done
    assert {domain: opened.host.read(domain) for domain in DOMAINS} == theirs
    assert not Journal(places.applied_dir(), host_id).files()


@pytest.mark.parametrize("reboot", [False, True])
def test_that_a_revert_after_the_loss_says_so_and_leaves_what_stands_there_now(opened, place, reboot):
    split, theirs = (opened.encodings(Mode.PARTITION)[number] for number in (1, 2))
    host_id = apply(split)
    record = Journal(places.applied_dir(), host_id)
    if reboot:  # as of another boot, whatever the numbers of its folders
        undo = record.read()
        record.arm(msgspec.structs.replace(undo, context={**undo.context, "boot": "0" * 36}))
    remove(place)
    own_groups(opened, theirs)
    for dry_run in (True, False):
        said = _revert(URL, dry_run=dry_run)
        assert "nothing is left of the split" in said.remark
        assert said.changes == ()
    assert {domain: opened.host.read(domain) for domain in DOMAINS} == theirs
    assert not record.files()


def test_that_the_record_of_a_sweep_before_a_reboot_is_done_with(opened, place):
    context = {**opened.host.context(), "boot": "0" * 36}
    set_all(opened, baseline(opened))
    put_back(reopen_host(URL, context, lambda *_: None), dict.fromkeys(DOMAINS))
    assert all(Path(place.cpu, PARENT, domain).is_dir() for domain in DOMAINS)


def test_that_a_record_of_this_boot_whose_groups_stand_is_not_outlived(opened):
    context = dict(opened.host.context())
    assert context["boot"] == boot_id()
    set_all(opened, baseline(opened))
    assert not outlived(context | opened.host.made())
    assert not outlived({name: text for name, text in context.items() if name != "boot"})  # of an earlier version
    assert not outlived(context, now="")

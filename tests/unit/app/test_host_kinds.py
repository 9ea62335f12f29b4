import pytest

from app.wizard.host_kinds import OFFERED_KINDS, explain_url, list_standard_values, url_of
from app.wizard.sweep_form import SweepForm
from scheduler.model.spec import RunSpec


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", ""),
        ("lab1", "begins with its kind"),
        ("local:", "This computer"),
        ("sim:", "simulated"),
        ("xl:", "Xen on this computer"),
        ("xl+ssh://root@lab1:2222", "Xen on lab1:2222: Dom0 is reached by ssh as root"),
        ("xl+ssh://lab1", "as the user from your ssh configuration"),
        ("xl+ssh://root@HOST", "in place of HOST"),
        ("xapi://pool", "XenServer or XCP-ng at pool"),
        ("qemu:///system", "QEMU and KVM guests on this computer"),
        ("qemu+ssh://root@kvm/system", "on kvm, through libvirt over ssh"),
        ("lxc:///system", "LXC containers on this computer"),
        ("xen:///system", "Xen on this computer: libvirt sets"),
        ("xen+ssh://root@lab1/system", "Xen on lab1 over ssh: libvirt sets"),
        ("xen+ssh://root@HOST/system", "in place of HOST"),
        ("xen+tls://x/system", "Write xen+ssh"),
        ("xl+ssh://root:secret@lab1", "Leave the password out"),
        ("vmware://x", "Unknown kind of host: 'vmware'"),
        ("xl+ssh://[::1", "not a complete URL yet"),
    ],
)
def test_url_is_reported_in_one_sentence_while_it_is_typed(url, words):
    text = explain_url(url)
    assert words in text
    assert "secret" not in text
    assert bool(text) == bool(url)


def test_every_kind_that_is_offered_is_known():
    assert all("Unknown kind" not in explain_url(url_of(kind, list_standard_values(kind))) for kind in OFFERED_KINDS)


@pytest.mark.parametrize(
    "template", ["xl+ssh://root@HOST", "xapi://HOST", "qemu+ssh://root@HOST/system", "xapi://HOST:443"]
)
def test_templates_place_for_the_hosts_name_is_no_host(template: str):
    result = SweepForm(host=template).to_spec()
    assert isinstance(result, dict)
    assert "in place of HOST" in result["host"]
    assert isinstance(SweepForm(host=template.replace("HOST", "HOST1")).to_spec(), RunSpec)

"""Files of a configuration bundle: constant scripts and their `split.conf`.

The scripts are the same in every bundle. They read the values of the split from `split.conf`, a line of `key=value`
each. A value is the rest of its line as it is: the scripts expand nothing in it. `parts/common.sh` knows every key.
"""

from collections.abc import Mapping, Sequence
from importlib.resources import files

import msgspec

from scheduler.errors import SpecError
from scheduler.export.split_config import SplitConfig
from scheduler.export.templates import single_line, template_environment
from scheduler.model.host_properties import HostProperties
from scheduler.model.other_guests import list_measured_pins
from scheduler.model.sentence_texts import encode_cpu_list
from scheduler.model.split import GUEST, IO
from scheduler.translation import _

DOMAIN_TITLES = {IO: _("I/O domain"), GUEST: "Guest"}
SCRIPTS = ("apply.sh", "verify.sh", "rollback.sh", "persist.sh")
_FORMAT = "1"  # parts/common.sh refuses another
_LONGEST = 20_000  # bytes of a value; parts/common.sh has a bound for each key


ConfValue = str | bool
"""Value of a key in `split.conf`."""


class ReadmeSubject(msgspec.Struct, frozen=True, kw_only=True):
    """Domain or control group in `README.txt`.

    Attributes:
        title: Title of its role.
        words: Its parameters as text.
        details: Names and values of further lines.
    """

    title: str
    words: str
    details: tuple[tuple[str, str], ...]


class BundleContent(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a bundle that depends on the kind of host.

    Attributes:
        toolstack: Part of the scripts: `cgroup`, `xen` or `libvirt`.
        values: Key to value in `split.conf`, without the keys of every bundle.
        things: Word for both subjects: `control groups` or `domains`.
        subjects: The subjects.
        persists: Text on `persist.sh`.
        runs_where: Sentence on the place where the scripts run.
        after: Further sentences on the scripts; may be empty.
        commands: Commands that set the split by hand.
        scope: Text on the limits of the split.
        notes: Notes on the commands.
        snippets: Name to text of further files.
    """

    toolstack: str
    values: Mapping[str, ConfValue]
    things: str
    subjects: Sequence[ReadmeSubject]
    persists: str
    runs_where: str
    scope: str
    after: str = ""
    commands: Sequence[str] = ()
    notes: Sequence[str] = ()
    snippets: Mapping[str, str] = {}


def bundle_files(split: SplitConfig, content: BundleContent, *, one_cpu: bool) -> dict[str, str]:
    """Return the texts of a bundle by file name.

    Args:
        split: The split and its evidence.
        content: Content for the kind of host.
        one_cpu: True when the caps were measured on one CPU and divide its time.

    Raises:
        SpecError: A value cannot be written into `split.conf`.
    """
    names = (*SCRIPTS, "parts/common.sh", f"parts/{content.toolstack}.sh")
    values = {
        "format": _FORMAT,
        "toolstack": content.toolstack,
        "split": split.label,
        "mode": split.mode.value,
        "source": single_line(split.evidence.source),
        "seen": split.evidence.seen,
        "one_cpu": one_cpu,
        "pcpus": str(split.facts.pcpus),
        **content.values,
    }
    return {
        **{name: files("resources").joinpath("bundle", name).read_text(encoding="utf-8") for name in names},
        "split.conf": split_conf_text(values, split.evidence.headline, split.evidence.weights_remark),
        "README.txt": _readme_text(split, content),
        **content.snippets,
    }


def split_conf_text(values: Mapping[str, ConfValue], *remarks: str) -> str:
    """Return the text of `split.conf`; a boolean is `yes` or `no`.

    Args:
        values: Key to value.
        remarks: Texts for comments; empty ones are left out.

    Raises:
        SpecError: A value is no single line of printable characters, or is too long.
    """
    texts = {key: value if isinstance(value, str) else ("yes" if value else "no") for key, value in values.items()}
    for key, value in texts.items():
        if not value.isprintable() or len(value.encode()) > _LONGEST:
            raise SpecError(
                "bundle",
                _("{value} cannot be written into split.conf: {single_line!r}").format(
                    value=key, single_line=single_line(value)[:80]
                ),
                hint=_("Use a name of printable characters and at most {longest} bytes.").format(longest=_LONGEST),
            )
    lines = [f"{key}={value}\n" for key, value in texts.items()]
    head = (_("Values of this split, read by the scripts. A value is the rest of its line."), *remarks)
    return "".join([*(f"# {single_line(text)}\n" for text in head if text), *lines])


def _readme_text(split: SplitConfig, content: BundleContent) -> str:
    evidence = split.evidence
    return (
        template_environment("bundle", autoescape=False)
        .get_template("README.txt.j2")
        .render(
            msgspec.structs.asdict(content) | msgspec.structs.asdict(evidence),
            host_title=single_line(evidence.host_title),
            split=split.label,
            mode=split.mode.value,
            conditions=_evidence_conditions(split),
            away_remark=split.facts.away_remark,
            away=_list_guests_away(split.facts),
        )
    )


def _list_guests_away(facts: HostProperties) -> list[tuple[str, str, dict[str, tuple[str, str]]]]:
    """Return name, UUID and measured CPUs of each guest that the sweep kept away."""
    rest = facts.kept_away.cpus
    return [
        (single_line(guest.name), guest.uuid, list_measured_pins(guest, rest)) for guest in facts.others if guest.away
    ]


def _evidence_conditions(split: SplitConfig) -> list[tuple[str, str]]:
    facts = split.facts
    shared = encode_cpu_list(facts.shared_cpus, ", ")
    fixed = [
        ("CPUs", _("{pcpus}, shared: {shared}").format(pcpus=facts.pcpus, shared=shared)),
        ("scheduler", facts.scheduler),
    ]
    fixed.append(("mode", split.mode.value))
    fixed += [(f"vCPUs ({domain.id})", str(domain.vcpus)) for domain in facts.domains]
    return fixed + [(name, single_line(value)) for name, value in split.evidence.versions.items()]

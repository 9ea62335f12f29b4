"""Notes for reports on changed settings of the built-in database."""

from collections.abc import Iterator, Mapping

from scheduler.model.databases import DATABASES
from scheduler.model.spec import RunSpec
from scheduler.translation import _


def server_setting_notes(spec: RunSpec, versions: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each setting.

    Args:
        spec: The plan.
        versions: Version of the server, and the values of its settings.
    """
    kind = DATABASES[spec.loads[0].engine]
    for name, value in spec.server.items():
        setting = kind.setting(name)
        if name not in versions:
            yield _("The built-in server ({kind} {kind_2}) has no {name} yet.").format(
                kind=kind.title, kind_2=versions.get(kind.name, ""), name=name
            )
            continue
        said = versions[name]
        differs = "" if said == value else _("; it reports {answer}").format(answer=said)
        yield (
            _(
                "The built-in server is started with {name} = {value}, where its own default is "
                "{default}{differs}. {help}"
            ).format(name=name, value=value, default=setting.default, differs=differs, help=setting.help)
        )

"""Notes for reports on changed settings of the built-in database."""

from collections.abc import Iterator, Mapping

from scheduler.model.databases import DATABASES
from scheduler.model.spec import RunSpec


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
            yield f"The built-in server ({kind.title} {versions.get(kind.name, '')}) has no {name} yet."
            continue
        said = versions[name]
        differs = "" if said == value else f"; it reports {said}"
        yield (
            f"The built-in server is started with {name} = {value}, where its own default is "
            f"{setting.default}{differs}. {setting.help}"
        )

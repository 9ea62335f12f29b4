"""What every report says of the server that DomTune started: which settings are not its own defaults, and why."""

from collections.abc import Iterator, Mapping

from scheduler.model.databases import DATABASES
from scheduler.model.spec import RunSpec


def server_setting_notes(spec: RunSpec, versions: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each setting.

    Args:
        spec: The sweep.
        versions: What the server says of itself: its version, and the values of settings that it has.
    """
    kind = DATABASES[spec.loads[0].engine]
    for name, value in spec.server.items():
        setting = kind.setting(name)
        if name not in versions:
            yield f"The server that DomTune brings ({kind.title} {versions.get(kind.name, '')}) has no {name} yet."
            continue
        said = versions[name]
        differs = "" if said == value else f"; it says {said}"
        yield (
            f"The server that DomTune brings is started with {name} = {value}, where its own default is "
            f"{setting.default}{differs}. {setting.help}"
        )

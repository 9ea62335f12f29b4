"""Settings that persist between starts, without passwords.

The user enters passwords, or the system's keyring stores them.
"""

import os
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from scheduler import places
from scheduler.translation import LANGUAGES

_RECENT_PLANS = 6
_RECENT_HOSTS = 8
TEXT_PERCENTS = (80, 90, 100, 110, 120, 140, 160, 180, 200)
"""Sizes of all texts that a person can choose, percent of the design."""


class Settings:
    """Typed access to the settings file; an invalid value reads as its default."""

    def __init__(self) -> None:
        home = places.home_dir()
        if home is None:
            self._file = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "domtune", "domtune")
        else:
            self._file = QSettings(str(home / "domtune.ini"), QSettings.Format.IniFormat)

    @property
    def path(self) -> Path:
        """Path of the settings file."""
        return Path(self._file.fileName())

    @property
    def appearance(self) -> str:
        """Appearance: `system`, `light` or `dark`."""
        return self._read_choice("theme", ("system", "light", "dark"))

    @appearance.setter
    def appearance(self, value: str) -> None:
        self._file.setValue("theme", value)

    @property
    def text_percent(self) -> int:
        """Size of all texts, percent of their design; 80 to 200."""
        return self._read_number("text_percent", 100, (TEXT_PERCENTS[0], TEXT_PERCENTS[-1]))

    @text_percent.setter
    def text_percent(self, value: int) -> None:
        self._file.setValue("text_percent", value)

    @property
    def language(self) -> str:
        """Language of the texts, a key of `LANGUAGES`; empty for the system's language."""
        return self._read_choice("language", ("", *LANGUAGES))

    @language.setter
    def language(self, value: str) -> None:
        self._file.setValue("language", value)

    @property
    def geometry(self) -> QByteArray:
        """Position and size of the window in Qt's format; empty at the first start."""
        value = self._file.value("geometry")
        return value if isinstance(value, QByteArray) else QByteArray()

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._file.setValue("geometry", value)

    @property
    def export_dir(self) -> Path:
        """Folder of the last export; the home folder at first."""
        kept = Path(self._read_text("export_dir") or Path.home())
        return kept if os.access(kept, os.W_OK | os.X_OK) else Path.home()

    @export_dir.setter
    def export_dir(self, value: Path) -> None:
        self._file.setValue("export_dir", str(value))

    @property
    def recent_plans(self) -> tuple[str, ...]:
        """Paths of recently opened or saved plan files, the latest first."""
        return self._read_list("recent_plans")

    def remember_plan(self, path: Path) -> None:
        """Move a plan file to the front of `recent_plans`."""
        kept = [str(path), *(known for known in self.recent_plans if known != str(path))][:_RECENT_PLANS]
        self._file.setValue("recent_plans", kept)

    @property
    def recent_hosts(self) -> tuple[str, ...]:
        """URLs of recently used hosts, the latest first, without passwords."""
        return self._read_list("recent_hosts")

    def remember_host(self, url: str) -> None:
        """Move a host to the front of `recent_hosts`."""
        kept = [url, *(known for known in self.recent_hosts if known != url)][:_RECENT_HOSTS]
        self._file.setValue("recent_hosts", kept)
        self._file.setValue("removed_hosts", [known for known in self.removed_hosts if known != url])

    def remove_host(self, url: str) -> None:
        """Remove a host from `recent_hosts` until it is used again."""
        self._file.setValue("recent_hosts", [known for known in self.recent_hosts if known != url])
        self._file.setValue("removed_hosts", list(dict.fromkeys((*self.removed_hosts, url))))

    @property
    def removed_hosts(self) -> tuple[str, ...]:
        """URLs of removed hosts, which are not listed even if the store has their sweeps."""
        return self._read_list("removed_hosts")

    @property
    def host_names(self) -> dict[str, str]:
        """The user's names of hosts by URL."""
        pairs = (line.partition("\t") for line in self._read_list("host_names"))
        return {url: name for url, _, name in pairs if url and name}

    def name_host(self, url: str, name: str) -> None:
        """Name a host.

        Args:
            url: URL of the host.
            name: Name; empty restores the host's own name.
        """
        names = {**self.host_names, url: " ".join(name.split())}
        self._file.setValue("host_names", [f"{known}\t{given}" for known, given in names.items() if given])

    @property
    def hosts_left_alone(self) -> tuple[str, ...]:
        """URLs of hosts that are not checked automatically."""
        return self._read_list("hosts_left_alone")

    def look_at_host(self, url: str, look: bool) -> None:  # noqa: FBT001 - a slot
        """Turn the automatic check of a host at the start of the window on or off.

        Args:
            url: URL of the host.
            look: True to check the host.
        """
        others = [known for known in self.hosts_left_alone if known != url]
        self._file.setValue("hosts_left_alone", others if look else [*others, url])

    @property
    def student(self) -> str:
        """Name of the student in the last lesson; empty at first."""
        return self._read_text("student")

    @student.setter
    def student(self, value: str) -> None:
        self._file.setValue("student", value)

    @property
    def lesson_runs(self) -> dict[str, str]:
        """Name of each finished lesson to the id of its last run."""
        pairs = (line.partition("\t") for line in self._read_list("lesson_runs"))
        return {lesson: run_id for lesson, _, run_id in pairs if lesson and run_id}

    def finish_lesson(self, lesson: str, run_id: str) -> None:
        """Mark a lesson as finished.

        Args:
            lesson: Name of the lesson.
            run_id: Id of its run.
        """
        runs = {**self.lesson_runs, lesson: run_id}
        self._file.setValue("lesson_runs", [f"{known}\t{its_run}" for known, its_run in runs.items()])

    @property
    def users(self) -> int:
        """Initial number of users per load in the wizard; 0 for the default.

        The default follows from the number of shared CPUs.
        """
        from scheduler.model.load import USERS_RANGE  # its texts need the language of these settings

        return self._read_number("users", 0, (0, USERS_RANGE[1]))

    @users.setter
    def users(self, value: int) -> None:
        self._file.setValue("users", value)

    @property
    def measure_s(self) -> int:
        """Initial length of a measurement in the wizard, seconds; 0 for the default.

        The default is the protocol's.
        """
        return self._read_number("measure_s", 0, (0, 3600))

    @measure_s.setter
    def measure_s(self, value: int) -> None:
        self._file.setValue("measure_s", value)

    def sync(self) -> None:
        """Write the settings to disk now."""
        self._file.sync()

    def _read_list(self, key: str) -> tuple[str, ...]:
        value = self._file.value(key, [])
        items = [value] if isinstance(value, str) else list(value) if isinstance(value, list) else []
        return tuple(str(item) for item in items if item)

    def _read_text(self, key: str) -> str:
        value = self._file.value(key, "")
        return value if isinstance(value, str) else ""

    def _read_choice(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self._read_text(key)
        return value if value in allowed else allowed[0]

    def _read_number(self, key: str, default: int, allowed: tuple[int, int]) -> int:
        try:
            value = int(str(self._file.value(key, default)))
        except ValueError:
            return default
        return value if allowed[0] <= value <= allowed[1] else default

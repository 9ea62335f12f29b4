"""A small real notification service: `python -m tests.notification_service FILE`.

It takes the name org.freedesktop.Notifications on the session bus and prints `ready`. It appends each notification to
FILE as one line of JSON.
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVirtualObject

_NAME, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


class Service(QDBusVirtualObject):
    def handleMessage(self, message: QDBusMessage, connection: QDBusConnection) -> bool:  # noqa: N802 - Qt's name
        """Record a notification and answer with its number."""
        if message.member() != "Notify":
            return False
        application, _, _, title, text, *_ = message.arguments()
        with Path(sys.argv[1]).open("a", encoding="utf-8") as record:
            kept = {"application": application, "title": title, "text": text, "signature": message.signature()}
            record.write(json.dumps(kept) + "\n")
        return connection.send(message.createReply([7]))

    def introspect(self, path: str) -> str:
        return ""


def main() -> int:
    application = QCoreApplication(sys.argv)
    bus, service = QDBusConnection.sessionBus(), Service()
    if not (bus.registerVirtualObject(_PATH, service) and bus.registerService(_NAME)):
        print(bus.lastError().message(), flush=True)
        return 1
    print("ready", flush=True)
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())

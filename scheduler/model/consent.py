"""Consent of a person to programs and connections of a plan.

No plan can give this consent.
"""

import msgspec


class Consent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Permissions that a person gave after seeing the plan.

    Attributes:
        commands: The commands of the plan may run on this computer.
        clients: The Dask scheduler of the plan and its workers may run code here and get the database's password.
        unencrypted: The connection to that scheduler may use tcp, which trusts every listener on the network path.
    """

    commands: bool = False
    clients: bool = False
    unencrypted: bool = False


FULL_CONSENT = Consent(commands=True, clients=True, unencrypted=True)
NO_CONSENT = Consent()

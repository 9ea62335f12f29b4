"""Consent of a person to what a plan makes this computer run; no plan can give it."""

import msgspec


class Consent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Permissions that a person gave after seeing them.

    Attributes:
        commands: The commands of the plan run here.
        clients: The Dask scheduler of the plan and its workers run code here and get the database's password.
        unencrypted: That scheduler is reached over tcp: whoever listens at its address, or on the way, is trusted, too.
    """

    commands: bool = False
    clients: bool = False
    unencrypted: bool = False


FULL_CONSENT = Consent(commands=True, clients=True, unencrypted=True)
NO_CONSENT = Consent()

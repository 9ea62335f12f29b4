"""Accepted certificates of XAPI hosts, identified by fingerprint.

Hosts sign their certificates themselves, so no authority can confirm them. A certificate is handled like an ssh host
key: shown once and accepted by its fingerprint. Any other certificate stops the connection before a password is sent.
"""

import hashlib
import os
import re
from pathlib import Path

from scheduler import places
from scheduler.errors import HostKeyChanged, HostKeyUnknown, HostNotUsable
from scheduler.files import make_private_folder, open_regular, read_regular
from scheduler.hosts.xapi.xapi_url import XapiAddress
from scheduler.translation import _

_HEX = re.compile(r"[0-9a-f]{64}")
_MOST_BYTES = 1 << 20
_SHOW = "openssl x509 -noout -fingerprint -sha256 -in /etc/xensource/xapi-ssl.pem"


def fingerprint_of(certificate: bytes) -> str:
    """Return a certificate's SHA-256 fingerprint, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(certificate).hexdigest()


def normalise_fingerprint(text: str) -> str:
    """Return a fingerprint as 64 lower-case digits; empty for other text.

    Accepts any common notation.
    """
    bare = re.sub(r"^sha-?256( fingerprint)?\s*[:=]", "", text.strip().lower())
    digits = bare.replace(":", "").replace(" ", "")
    return digits if _HEX.fullmatch(digits) else ""


def format_fingerprint(fingerprint: str) -> str:
    """Return a fingerprint in the notation that people compare."""
    return ":".join(fingerprint[i : i + 2] for i in range(0, len(fingerprint), 2)).upper()


def pins_path() -> Path:
    """Return the path of the file with the accepted fingerprints.

    The file holds no secret.
    """
    return places.state_dir() / "xapi_certificates"


def find_pin(address: XapiAddress) -> str:
    """Return the fingerprint accepted for an address; empty when there is none.

    The last line for an address counts.

    Raises:
        HostNotUsable: The file is damaged. An accepted certificate must not be taken for an unknown one.
    """
    kept = [line.split() for line in _read_pins().splitlines() if line.strip()]
    if any(len(words) != 2 or not normalise_fingerprint(words[1]) for words in kept):
        raise _damaged_pins_error(_("it has lines that are no address with a fingerprint"))
    found = [normalise_fingerprint(words[1]) for words in kept if words[0] == address.where]
    return found[-1] if found else ""


def _read_pins() -> str:
    """Return the text of the file, empty without a file; raise HostNotUsable."""
    try:
        return read_regular(pins_path(), _MOST_BYTES).decode()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise _damaged_pins_error(error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise _damaged_pins_error(_("the file is not text")) from error


def _damaged_pins_error(why: str) -> HostNotUsable:
    return HostNotUsable(
        _("the accepted certificates in {pins_path} cannot be read: {why}").format(pins_path=pins_path(), why=why),
        hint=_("Fix or move that file. Then accept the certificates again with 'domtune trust'."),
    )


def accept_fingerprint(address: XapiAddress, fingerprint: str) -> Path:
    """Accept a fingerprint for an address from now on.

    Args:
        address: The host.
        fingerprint: SHA-256 fingerprint.

    Returns:
        The file with the accepted fingerprints.

    Raises:
        HostNotUsable: The fingerprint cannot be stored.
    """
    path = pins_path()
    find_pin(address)  # Refuse a damaged file: a line after damaged ones would be lost.
    try:
        make_private_folder(path.parent)
        with os.fdopen(open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a", encoding="utf-8") as kept:
            kept.write(f"{address.where} {format_fingerprint(fingerprint)}\n")
    except OSError as error:
        raise _damaged_pins_error(error.strerror or str(error)) from error
    return path


def check_fingerprint(address: XapiAddress, seen: str, pin: str) -> None:
    """Compare a host's fingerprint with the accepted one.

    Args:
        address: The host.
        seen: Fingerprint of the certificate that the host shows.
        pin: The accepted fingerprint; empty when there is none.

    Raises:
        HostKeyUnknown: No fingerprint was accepted.
        HostKeyChanged: Another fingerprint was accepted.
    """
    if not pin:
        raise HostKeyUnknown(
            _("{where} shows the certificate {seen} (SHA-256), which was never accepted").format(
                where=address.where, seen=format_fingerprint(seen)
            ),
            format_fingerprint(seen),
            hint=_("Compare it on the host ({show}); then: domtune trust xapi://{where} --fingerprint {seen}").format(
                show=_SHOW, where=address.where, seen=format_fingerprint(seen)
            ),
        )
    if seen != pin:
        raise HostKeyChanged(
            _("{where} has another certificate than the accepted one: {seen}, not {pin}").format(
                where=address.where, seen=format_fingerprint(seen), pin=format_fingerprint(pin)
            ),
            hint=_(
                "Perhaps an attacker, or a new certificate. If the administrator reads the same on "
                "the host ({show}), accept it: domtune trust xapi://{where} --fingerprint ..."
            ).format(show=_SHOW, where=address.where),
        )
